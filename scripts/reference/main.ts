// `npm run reference`: writes all files of docs/reference anew. Does I/O.

import { writeFileSync } from "node:fs";
import { referenceFiles } from "./pages.ts";

const folder = new URL("../../docs/reference/", import.meta.url);

for (const [name, content] of Object.entries(referenceFiles())) {
  const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
  writeFileSync(new URL(name, folder), text);
  console.log(`docs/reference/${name}`);
}
