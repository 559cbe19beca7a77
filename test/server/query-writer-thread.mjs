// Starts the writing thread, which is TypeScript: Node 20 gives no loader to worker threads.

import { register } from "tsx/esm/api";

register();
await import("./query-writer-thread.ts");
