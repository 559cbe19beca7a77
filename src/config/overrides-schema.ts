// The keys of the overrides file: a list of networks whose clients' place is known better than a
// database knows it. It knows one entry at a time, and no cluster.

import { decimal, listOf, network, objectName, parsed, placeName, strictMap } from "./fields.ts";

const continentCodes = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"];
/** Other faults of an entry do not hide this one, but what is no map has none of its keys. */
const isMap = ({ value }: { value: unknown }) => typeof value === "object" && value !== null;
const isBothOrNone = (entry: { latitude?: number; longitude?: number }) =>
  (entry.latitude === undefined) === (entry.longitude === undefined);

/** The whole file. Of latitude and longitude both are given or neither. */
export const overridesSchema = listOf(
  strictMap({
    network,
    latitude: decimal(-90, 90).exactOptional(),
    longitude: decimal(-180, 180).exactOptional(),
    country: parsed("allowed a country code of two letters such as FJ", (text) =>
      /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : undefined,
    ).exactOptional(),
    continent: parsed(`allowed a continent code of ${continentCodes.join(", ")}`, (text) =>
      continentCodes.find((code) => code === text.toUpperCase()),
    ).exactOptional(),
    cluster: objectName.exactOptional(),
    region: placeName.exactOptional(),
    zone: placeName.exactOptional(),
  })
    .refine((entry) => isBothOrNone(entry) || entry.longitude !== undefined, {
      path: ["longitude"],
      when: isMap,
    })
    .refine((entry) => isBothOrNone(entry) || entry.latitude !== undefined, {
      path: ["latitude"],
      when: isMap,
    }),
  "overrides",
);
