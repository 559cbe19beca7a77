// Names that people write in configuration: domain names, international ones too, and the names
// of objects that become labels of DNS names. It knows what characters they may hold, not what
// they stand for.

import { domainToASCII } from "node:url";
import { type Name, nameOf, rootName } from "../dns/name.ts";

const objectName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const placeName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i;
const asciiLabel = /^[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?$/i;

/** Whether a text is a label as Kubernetes defines it: lower case, 1–63 octets (RFC 1123 section 2.1). */
export function isObjectName(text: string): boolean {
  return objectName.test(text);
}

/** Whether a text is a letter-digit-hyphen label in any case, 1–63 octets (RFC 1123 section 2.1). */
export function isPlaceName(text: string): boolean {
  return placeName.test(text);
}

/**
 * The wire name of a domain name with or without final dot; international labels become their
 * ASCII form (RFC 5890 section 2.3.2.1). `undefined` if it is the root, empty, too long or no name.
 */
export function parseDomain(text: string): Name | undefined {
  const labels = text.replace(/\.$/, "").split(".").map(asciiForm);
  if (!labels.every((label) => label !== undefined)) return undefined;
  const octets = labels.reduce((sum, label) => sum + label.length + 1, 1);
  return octets <= 255 ? nameOf(labels, rootName) : undefined;
}

/**
 * The name that an SOA record writes for a mailbox (RFC 1035 section 8): the part before the `@`
 * as one label. `undefined` if it is no mailbox.
 */
export function parseMailbox(text: string): Name | undefined {
  const [, local, domain] = /^([!#-?A-[\]-~]{1,63})@([^@]+)$/.exec(text) ?? [];
  const name = domain === undefined ? undefined : parseDomain(domain);
  if (local === undefined || name === undefined) return undefined;
  return name.length + local.length + 1 <= 255 ? nameOf([local], name) : undefined;
}

function asciiForm(label: string): string | undefined {
  if (!/[^\x20-\x7e]/.test(label) && !/^xn--/i.test(label)) {
    return asciiLabel.test(label) ? label : undefined;
  }
  // The function below is a parser of URL hosts: it reads `%`, `1.2` and full-width dots its own way.
  if (!/^[-\p{L}\p{M}\p{N}]+$/u.test(label)) return undefined;
  const ascii = domainToASCII(label);
  return asciiLabel.test(ascii) ? ascii : undefined;
}
