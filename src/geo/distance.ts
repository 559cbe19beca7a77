// Distance between two places on Earth. It knows spherical geometry alone; it must not know
// what lies at the places.

/** A place: latitude -90 to 90 degrees north, longitude -180 to 180 degrees east. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Mean radius of the Earth, R1 of IUGG (Moritz 2000, Geodetic Reference System 1980). */
const earthRadiusKm = 6371.0088;

/**
 * The great-circle distance in kilometres, 0 to 20015.1 (half the Earth's circumference), by
 * the haversine formula, which stays exact for near points where the cosine rule does not.
 * Longitudes may differ by more than 180 degrees: the shorter way round is taken.
 */
export function distanceKm(a: Coordinates, b: Coordinates): number {
  const sinHalfLatitude = Math.sin(radians(b.latitude - a.latitude) / 2);
  const sinHalfLongitude = Math.sin(radians(b.longitude - a.longitude) / 2);
  const haversine =
    sinHalfLatitude ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * sinHalfLongitude ** 2;
  // Rounding can lift antipodes a hair above 1, where asin is NaN.
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
