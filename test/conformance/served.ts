// What the conformance tests serve: the example federation, and beside it the same static records
// in a zone of their own and in the federation's zone.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const exampleFolder = path.resolve(import.meta.dirname, "../../zones");

/** A zone from a master file. */
export const staticApex = "static.test";
/** The federation's own zone. */
export const federationApex = "my-domain.com";
export const apexes = [staticApex, federationApex] as const;
/** The example's service. */
export const serviceName = "my-service.my-namespace.my-federation.my-domain.com";

/** A TXT record of `length` octets of rdata or a few less. */
function longText(letter: string, length: number): string {
  const strings = Array.from({ length: Math.floor(length / 101) }, () => `"${letter.repeat(100)}"`);
  return strings.join(" ");
}

/**
 * `large` does not fit into 512 octets, `huge` not into 1232, `vast` not into 4096; the `mail`
 * and `many` sets fit only without some or all of their additional records, the referral to
 * `lent` fits into 512 octets only without some of its glue.
 */
const sharedRecords = `
large  TXT ${longText("a", 300)}
large  TXT ${longText("b", 300)}
large  TXT ${longText("c", 300)}
huge   TXT ${longText("d", 1300)}
huge   TXT "short"
vast   TXT ${longText("e", 20_000)}
vast   TXT ${longText("f", 20_000)}
vast   TXT ${longText("g", 20_000)}
mail   MX 10 mx1
mail   MX 20 mx2
mail   MX 30 elsewhere.example.
mx1    A 192.0.2.1
mx1    AAAA 2001:db8::1
mx2    A 192.0.2.2
twice  MX 10 mx1
twice  MX 20 mx1
$GENERATE 1-34 many MX $ mx-$.with-a-name-of-some-length
$GENERATE 1-34 mx-$.with-a-name-of-some-length A 192.0.2.$
_x._tcp SRV 0 0 80 mx1
_x._tcp SRV 1 0 81 mx2
host   A 192.0.2.10
host   AAAA 2001:db8::10
host   TXT "a host"
alias  CNAME host
loop-a CNAME loop-b
loop-b CNAME loop-a
astray CNAME nowhere.example.
broken CNAME no-such-name
deep.er.still A 192.0.2.11
*.wild TXT "wild"
child  NS ns.child
child  NS elsewhere.example.
ns.child A 192.0.2.12
ns.child AAAA 2001:db8::12
$GENERATE 1-9 lent NS a-name-server-of-some-length-$.lent
$GENERATE 1-9 a-name-server-of-some-length-$.lent A 192.0.2.$
Case   CNAME HoSt
`;

/** Files for a server, by path. */
export const servedFiles: Readonly<Record<string, string>> = {
  ...exampleFiles(),
  [`zones/${federationApex}.zone`]: `$TTL 300\n${sharedRecords}`,
  [`zones/${staticApex}.zone`]: `$TTL 300
@ SOA ns1 hostmaster 1 7200 3600 1209600 60
@ NS ns1
@ NS ns2.elsewhere.example.
ns1 A 192.0.2.53
ns1 AAAA 2001:db8::53
${sharedRecords}`,
};

/** The example federation's files under `zones/`. */
export function exampleFiles(): Record<string, string> {
  const names = readdirSync(exampleFolder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .filter((name) => /\.(ya?ml|json|zone)$/.test(name))
      .map((name) => [`zones/${name}`, readFileSync(path.join(exampleFolder, name), "utf8")]),
  );
}
