// The C library of this process through koffi, and how its failures are told. It knows which machines
// the numbers and structures of its callers are those of; it must not know what is called. Does I/O.

import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";

/** What a function of the C library takes: numbers, and memory as its address or in place. */
export type Parameter = number | ArrayBufferView | ArrayBuffer;

/** What is used of koffi, written out here so that the program builds without that package too. */
interface Koffi {
  readonly load: (library: null) => {
    /** A function of the C library by its C declaration. */
    readonly func: (declaration: string) => (...parameters: Parameter[]) => number;
  };
  readonly address: (memory: ArrayBuffer) => bigint;
  readonly errno: () => number;
}

/** The C library. */
export interface SystemLibrary {
  /** A function by its C declaration. */
  readonly func: (declaration: string) => (...parameters: Parameter[]) => number;
  /** Where memory lies; it must be kept referenced for as long as the system may use it. */
  readonly address: (memory: ArrayBuffer) => bigint;
  /** What a call returned, and a failure as `-errno`. */
  readonly result: (returned: number) => number;
  /** The same, but a failure throws, as node puts it: `bind EADDRINUSE 127.0.0.1:53`. */
  readonly must: (call: string, place: string, returned: number) => number;
}

/** Loads koffi; throws if it is missing or has no binary for this machine. */
export function loadKoffi(): Koffi {
  const koffi: Koffi = createRequire(import.meta.url)("koffi");
  // Where the binary for this machine is missing, only this finds out.
  koffi.load(null);
  return koffi;
}

let library: SystemLibrary | undefined;

/** The C library of this process. Throws if koffi cannot be loaded. */
export function systemLibrary(): SystemLibrary {
  library ??= bindLibrary(loadKoffi());
  return library;
}

function bindLibrary(koffi: Koffi): SystemLibrary {
  const libc = koffi.load(null);
  return {
    func: (declaration) => libc.func(declaration),
    address: (memory) => koffi.address(memory),
    result: (returned) => (returned < 0 ? -koffi.errno() : returned),
    must: (call, place, returned) => {
      if (returned >= 0) return returned;
      throw new Error(`${call} ${getSystemErrorName(-koffi.errno())} ${place}`.trimEnd());
    },
  };
}
