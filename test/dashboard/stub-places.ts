// Six clusters over the world, and where their clients are: the federation of the page's tests and
// pictures. It knows places; it must not know what is asked.

/** A cluster, and a number that its addresses are made of. */
export const stubClusters = [
  { name: "oregon", at: 1, region: "us-west1", location: { latitude: 45.6, longitude: -121.18 } },
  { name: "virginia", at: 2, region: "us-east4", location: { latitude: 39.04, longitude: -77.49 } },
  {
    name: "saopaulo",
    at: 3,
    region: "southamerica-east1",
    location: { latitude: -23.55, longitude: -46.63 },
  },
  {
    name: "frankfurt",
    at: 4,
    region: "europe-west3",
    location: { latitude: 50.11, longitude: 8.68 },
  },
  { name: "mumbai", at: 5, region: "asia-south1", location: { latitude: 19.08, longitude: 72.88 } },
  {
    name: "tokyo",
    at: 6,
    region: "asia-northeast1",
    location: { latitude: 35.69, longitude: 139.69 },
  },
] as const;

/** Countries, and how much they ask. */
export const stubClients = [
  { label: "United States, west", country: "US", latitude: 36.8, longitude: -119.4, weight: 60 },
  { label: "United States, east", country: "US", latitude: 37.4, longitude: -86.2, weight: 110 },
  { label: "Canada", country: "CA", latitude: 46.6, longitude: -80.5, weight: 24 },
  { label: "Mexico", country: "MX", latitude: 21.5, longitude: -101, weight: 26 },
  { label: "Colombia", country: "CO", latitude: 5.3, longitude: -74.8, weight: 10 },
  { label: "Brazil", country: "BR", latitude: -16.5, longitude: -45.5, weight: 44 },
  { label: "Argentina", country: "AR", latitude: -33.5, longitude: -61, weight: 14 },
  { label: "Chile", country: "CL", latitude: -33.6, longitude: -71, weight: 8 },
  { label: "United Kingdom", country: "GB", latitude: 52.6, longitude: -1.6, weight: 40 },
  { label: "Germany", country: "DE", latitude: 51, longitude: 9.8, weight: 52 },
  { label: "France", country: "FR", latitude: 47.2, longitude: 2.6, weight: 38 },
  { label: "Spain", country: "ES", latitude: 39.9, longitude: -3.3, weight: 22 },
  { label: "Sweden", country: "SE", latitude: 58.8, longitude: 15.3, weight: 12 },
  { label: "Poland", country: "PL", latitude: 51.9, longitude: 19.4, weight: 16 },
  { label: "Turkey", country: "TR", latitude: 39.6, longitude: 32.8, weight: 18 },
  { label: "Egypt", country: "EG", latitude: 29.8, longitude: 31.2, weight: 9 },
  { label: "Nigeria", country: "NG", latitude: 8.6, longitude: 6.6, weight: 12 },
  { label: "Kenya", country: "KE", latitude: -0.5, longitude: 36.9, weight: 6 },
  { label: "South Africa", country: "ZA", latitude: -28.2, longitude: 28, weight: 10 },
  { label: "India", country: "IN", latitude: 22.4, longitude: 79.3, weight: 88 },
  { label: "Pakistan", country: "PK", latitude: 30.6, longitude: 71.6, weight: 12 },
  { label: "Thailand", country: "TH", latitude: 14.6, longitude: 101, weight: 14 },
  { label: "Indonesia", country: "ID", latitude: -6.4, longitude: 109.3, weight: 26 },
  { label: "Japan", country: "JP", latitude: 35.7, longitude: 137.7, weight: 46 },
  { label: "South Korea", country: "KR", latitude: 36.6, longitude: 127.6, weight: 20 },
  { label: "Australia", country: "AU", latitude: -32.8, longitude: 145, weight: 18 },
  { label: "New Zealand", country: "NZ", latitude: -39.5, longitude: 175.4, weight: 4 },
] as const;
