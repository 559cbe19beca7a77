/* What probes are answered by: takes connections on many loopback addresses at one port, answers
 * whatever is asked with status 200, and closes. It is in C because it runs beside the load, which it
 * must not hold up. Ends with its standard input. Usage: responder PORT ADDRESS... */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 64
#define LISTENERS_END 4096

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
static unsigned char is_listener[LISTENERS_END];

static void watch(int epoll, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int listen_at(const char *address, unsigned short port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
  int yes = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (inet_pton(AF_INET, address, &place.sin_addr) != 1) return -1;
  if (bind(fd, (struct sockaddr *)&place, sizeof place) < 0 || listen(fd, 1024) < 0) return -1;
  return fd;
}

int main(int argc, char **argv) {
  struct epoll_event events[EVENTS];
  char asked[4096];
  int epoll = epoll_create1(0);

  if (argc < 3) return 64;
  for (int at = 2; at < argc; at++) {
    int fd = listen_at(argv[at], (unsigned short)atoi(argv[1]));
    if (fd < 0 || fd >= LISTENERS_END) {
      perror("cannot listen");
      return 1;
    }
    is_listener[fd] = 1;
    watch(epoll, fd);
  }
  watch(epoll, STDIN_FILENO);
  puts("ready");
  fflush(stdout);
  for (;;) {
    int count = epoll_wait(epoll, events, EVENTS, -1);
    for (int at = 0; at < count; at++) {
      int fd = events[at].data.fd;
      if (fd < LISTENERS_END && is_listener[fd]) {
        int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
        if (client >= LISTENERS_END) close(client);
        else if (client >= 0) watch(epoll, client);
        continue;
      }
      if (fd == STDIN_FILENO) return 0;
      ssize_t length = read(fd, asked, sizeof asked);
      if (length > 0) send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL);
      close(fd);
    }
  }
}
