// Why a ballot is refused: each reason with the words that tell it and the HTTP status that carries
// it. It must not know how any of them is found out.

/** Every reason, and what is said of it. */
export const refusals = {
  unsigned: { status: 401, message: "the request has no Meridian-Signature" },
  "bad-signature": { status: 401, message: "no key that is known here made this signature" },
  "too-large": { status: 413, message: "the ballot is larger than 8 MiB" },
  truncated: { status: 400, message: "the request ended before its body did" },
  malformed: { status: 400, message: "the body is no ballot" },
  "unknown-voter": { status: 403, message: "no voter of this name is configured here" },
  "own-name": { status: 403, message: "the ballot bears this server's own name" },
  "too-old": { status: 409, message: "it was sent more than 60 s ago, by this server's clock" },
  future: { status: 409, message: "it was sent more than 60 s ahead, by this server's clock" },
  replayed: { status: 409, message: "a ballot of this sequence or a later one was taken already" },
  "retired-boot": { status: 409, message: "a later start of this voter was heard already" },
  "foreign-boot": { status: 409, message: "another voter's ballots bear this boot id" },
  "other-configuration": {
    status: 409,
    message: "other voters, regions or electors are configured there",
  },
  busy: {
    status: 503,
    message: "too much of this sender's was refused: it is not listened to now",
  },
  stalled: { status: 503, message: "this server stood still and takes no ballots of that time" },
} as const;

export type Refusal = keyof typeof refusals;
