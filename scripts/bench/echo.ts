// The floor of the benchmark where there is no C compiler: the same loop as echo.c, through koffi.
// Usage: tsx echo.ts PORT. Does I/O.

import { batchSize, DatagramBatch, inStride, MSG_WAITFORONE, openUdp } from "./system-calls.ts";

const batch = new DatagramBatch(openUdp("bind", Number(process.argv[2])), undefined, true);
for (;;) {
  const count = batch.receive(MSG_WAITFORONE);
  for (let at = 0; at < Math.min(count, batchSize); at++) {
    const start = at * inStride;
    batch.in[start + 2] = (batch.in[start + 2] ?? 0) | 0x80;
    batch.place(at, start, batch.lengthIn(at));
  }
  if (count > 0) batch.send(count);
}
