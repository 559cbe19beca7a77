// `npm run pictures`: draws all files of docs/pictures anew. Does I/O.

import { writeFileSync } from "node:fs";
import { pictureFiles } from "./pictures.ts";

const folder = new URL("../../docs/pictures/", import.meta.url);

for (const [name, content] of Object.entries(pictureFiles())) {
  writeFileSync(new URL(name, folder), content);
  console.log(`docs/pictures/${name}`);
}
