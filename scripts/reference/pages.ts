// All files of docs/reference by their name, as the code makes them.

import { apiPage, openApi } from "./api-page.ts";
import { commandsPage } from "./commands-page.ts";
import { objectsPage, schemaFiles, serverPage } from "./key-pages.ts";
import { metricsPage } from "./metrics-page.ts";

/** Markdown as text, all else as what its JSON says. */
export function referenceFiles(): Record<string, string | object> {
  return {
    "commands.md": commandsPage(),
    "server.md": serverPage(),
    "objects.md": objectsPage(),
    "metrics.md": metricsPage(),
    "api.md": apiPage(),
    "openapi.json": openApi(),
    ...schemaFiles(),
  };
}
