// Watches whatever files a world was read from, also after a change of the configuration names
// others. It must not read them. Does I/O.

import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Watcher, watchSources } from "../sources/watcher.ts";
import { databaseFile } from "./databases.ts";
import type { Logger } from "./log.ts";
import type { World } from "./world.ts";

interface Watched {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

export class WorldWatch {
  readonly #configFile: string;
  readonly #log: Logger;
  readonly #onChange: () => void;
  #watched: Watched | undefined;
  #watcher: Promise<Watcher> | undefined;

  constructor(configFile: string, log: Logger, onChange: () => void) {
    this.#configFile = path.resolve(configFile);
    this.#log = log;
    this.#onChange = onChange;
  }

  /**
   * Watches this world's files and no others. Resolves when their changes will be noticed; what
   * changed since the world was read is told as a change.
   */
  async use(world: World): Promise<void> {
    const watched = this.#pathsOf(world);
    if (isDeepStrictEqual(watched, this.#watched)) return;
    this.stop();
    this.#watched = watched;
    this.#watcher = watchSources({
      ...watched,
      onChange: this.#onChange,
      onError: (error) =>
        this.#log.warn({ event: "watch-failed", err: error }, "cannot watch files"),
    });
    await this.#watcher;
    this.#onChange();
  }

  stop(): void {
    void this.#watcher?.then((watcher) => watcher.close());
  }

  #pathsOf({ config }: World): Watched {
    const { databases, overrides } = config.geoip;
    const { secretFile, tls } = config.health ?? {};
    const files = databases.flatMap((spec) => {
      const found = databaseFile(spec, path.dirname(this.#configFile));
      return found.ok ? [found.file] : [];
    });
    if (overrides !== undefined) files.push(overrides);
    if (secretFile !== undefined) files.push(secretFile);
    if (tls) files.push(tls.cert, tls.key, tls.ca);
    if (config.control.tokensFile !== undefined) files.push(config.control.tokensFile);
    return { folders: [config.zones], files: [this.#configFile, ...files] };
  }
}
