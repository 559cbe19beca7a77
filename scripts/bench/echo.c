/* The floor of the benchmark: sends every datagram back with the QR bit set, 64 at a time with
 * recvmmsg and sendmmsg. It knows no DNS beyond that bit. Usage: echo PORT */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define BATCH 64
#define STRIDE 2048

int main(int argc, char **argv) {
  static unsigned char octets[BATCH][STRIDE];
  static struct mmsghdr messages[BATCH];
  static struct iovec vectors[BATCH];
  static struct sockaddr_in addresses[BATCH];
  struct sockaddr_in place = {.sin_family = AF_INET};
  int size = 4 * 1024 * 1024;
  int fd = socket(AF_INET, SOCK_DGRAM, 0);

  if (argc != 2 || fd < 0) return 64;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  place.sin_port = htons((unsigned short)atoi(argv[1]));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, (struct sockaddr *)&place, sizeof place) < 0) {
    perror("cannot bind");
    return 1;
  }
  for (int at = 0; at < BATCH; at++) {
    vectors[at].iov_base = octets[at];
    messages[at].msg_hdr.msg_iov = &vectors[at];
    messages[at].msg_hdr.msg_iovlen = 1;
    messages[at].msg_hdr.msg_name = &addresses[at];
  }
  for (;;) {
    for (int at = 0; at < BATCH; at++) {
      vectors[at].iov_len = STRIDE;
      messages[at].msg_hdr.msg_namelen = sizeof addresses[at];
    }
    int count = recvmmsg(fd, messages, BATCH, MSG_WAITFORONE, NULL);
    if (count <= 0) continue;
    for (int at = 0; at < count; at++) {
      octets[at][2] |= 0x80;
      vectors[at].iov_len = messages[at].msg_len;
    }
    for (int sent = 0; sent < count;) {
      int more = sendmmsg(fd, messages + sent, count - sent, 0);
      if (more <= 0) break;
      sent += more;
    }
  }
}
