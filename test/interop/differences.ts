// Where moto 5.2.1 does otherwise than the API reference of Route 53, and so otherwise than the
// stand-in, in ways that keep a scenario from being run against it. It must not know the scenarios.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html

/** Each in a sentence on moto; differences.test.ts shows that it still is so. */
export const differences = {
  /**
   * Reference: CREATE makes a record set that is not there. moto looks it up in all changes that were
   * ever made, and refuses if it is among them while anything stands at its place or after it.
   */
  createsOnce: "moto takes a creation once, even after a deletion",
  /**
   * Reference: only UPSERT writes where a record set of that name and type is; the service refuses
   * CREATE there ("but it already exists"). moto, by the same look-up, misses a set of other values,
   * and keeps both.
   */
  createsBeside: "moto creates a second set of one name and type",
  /**
   * Reference: DELETE must give all the values that the record set was made with, which UPSERT does
   * too. moto is content with values that it once had, and deletes whatever stands there.
   */
  deletesTheChanged: "moto deletes what has changed since",
  /** Reference: SetIdentifier tells apart what has one name and type. moto deletes by it zone-wide. */
  deletesByIdentifier: "moto deletes all that has the same SetIdentifier",
  /** Reference: GeoProximityLocation is a part of record sets. moto takes it and does not keep it. */
  forgetsGeoproximity: "moto does not keep GeoProximityLocation",
  /**
   * Reference: NextRecordIdentifier says where in a group of parts a page ends. moto does not say it,
   * and begins the next page with the first part again.
   */
  repeatsParts: "moto repeats parts that a page has cut",
} as const;

export type Difference = (typeof differences)[keyof typeof differences];
