// Ports that nobody uses. It must not know what they are for. Does I/O.

import { once } from "node:events";
import { createServer } from "node:net";

/**
 * So many TCP ports that nobody uses on an address now. They lie below those that the system gives
 * to connections, so that none of these takes them before they are used.
 */
export async function freePorts(count: number, address = "127.0.0.1"): Promise<number[]> {
  const found: number[] = [];
  let port = 20_000 + Math.floor(Math.random() * 10_000);
  while (found.length < count) {
    port = port >= 32_000 ? 20_000 : port + 1;
    if (await isFree(port, address)) found.push(port);
  }
  return found;
}

async function isFree(port: number, address: string): Promise<boolean> {
  const server = createServer().listen(port, address);
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
