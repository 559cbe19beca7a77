// What probes are answered by, where there is no C compiler: as responder.c, dearer. Usage:
// tsx responder-process.ts PORT ADDRESS... Does I/O.

import { once } from "node:events";
import { createServer, type Socket } from "node:net";

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const [port, ...addresses] = process.argv.slice(2);

for (const address of addresses) {
  const server = createServer(answerOnce).listen(Number(port), address);
  await once(server, "listening");
}
process.stdin.once("end", () => process.exit()).resume();
console.log("ready");

function answerOnce(socket: Socket): void {
  // Whoever only wanted to connect may be gone already.
  socket.on("error", () => undefined);
  socket.once("data", () => socket.end(answer));
}
