// Options that several commands have, said in the same words. It must not know what they do.

/** Of commands that read the server's own file. */
export const configOption = ["--config <file>", "the server's own file", "meridian.yaml"] as const;
/** Of commands that ask the running server by its control socket. */
export const dataFolderOption = [
  "--config <file>",
  "the file whose dataDir has the socket",
] as const;
/** Of commands that ask a running server, and may do so by its URL. */
export const serverOption = [
  "--server <url>",
  "a running server by its URL, not its socket",
] as const;
/** Of commands that may ask a server over HTTP, which wants a token but for this machine's reads. */
export const tokenFileOption = [
  "--token-file <file>",
  "a file with a token for --server; default: $MERIDIAN_TOKEN",
] as const;

/** Takes a command's exit status. */
export type ExitWith = (status: number) => void;
