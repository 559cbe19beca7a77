// Which services a mirror keeps, by globs over their namespace and name. It knows two lists of
// patterns and two texts; it must not know anything else of a service.

import type { MirrorSettings, ServicePatterns } from "../config/mirror-config.ts";

/**
 * Whether a mirror with these settings keeps a service: each list of `include` that says something
 * matches, and not all lists of `exclude` that say something do.
 */
export function matchesPatterns(
  { include, exclude }: Pick<MirrorSettings, "include" | "exclude">,
  namespace: string,
  name: string,
): boolean {
  if (!isAmong(include, namespace, name)) return false;
  const excludesAny = exclude.namespaces.length > 0 || exclude.names.length > 0;
  return !(excludesAny && isAmong(exclude, namespace, name));
}

/**
 * Whether the whole of `text` is as `glob` has it: `*` is any characters or none, `?` is one, and
 * all others are themselves. Takes at most as many steps as the product of both lengths.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let inGlob = 0;
  let inText = 0;
  // Where the last star stands, and up to where it reaches: only that one need ever reach further.
  let star = -1;
  let reach = 0;
  while (inText < text.length) {
    const wanted = glob[inGlob];
    if (wanted === "*") {
      star = inGlob++;
      reach = inText;
    } else if (wanted === "?" || wanted === text[inText]) {
      inGlob++;
      inText++;
    } else if (star >= 0) {
      inGlob = star + 1;
      inText = ++reach;
    } else {
      return false;
    }
  }
  while (glob[inGlob] === "*") inGlob++;
  return inGlob === glob.length;
}

function isAmong({ namespaces, names }: ServicePatterns, namespace: string, name: string): boolean {
  return isAnyOf(namespaces, namespace) && isAnyOf(names, name);
}

/** An empty list says nothing, so it holds for all. */
function isAnyOf(globs: readonly string[], text: string): boolean {
  return globs.length === 0 || globs.some((glob) => matchesGlob(glob, text));
}
