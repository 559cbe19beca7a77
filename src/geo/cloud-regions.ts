// Where the regions of the large clouds are, so that a cluster in one needs no coordinates of its
// own. It knows vendors' region names; it must not know clusters.

import type { Coordinates } from "./distance.ts";

/**
 * The city of a region of AWS, Google Cloud or Azure, by the vendor's own name of the region, in
 * lower case; `undefined` for any other. Vendors name the city or the state, not the site, so a
 * place is good to some tens of kilometres. Sources:
 *
 * - https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 * - https://cloud.google.com/compute/docs/regions-zones
 * - https://learn.microsoft.com/azure/reliability/regions-list
 */
export function cloudRegion(region: string): Coordinates | undefined {
  return byRegion.get(region);
}

/** All regions that have a place. */
export function cloudRegionNames(): string[] {
  return [...byRegion.keys()];
}

/** A city, its latitude and longitude in degrees, and the regions that are there. */
type City = readonly [name: string, latitude: number, longitude: number, regions: string];

const cities: readonly City[] = [
  // North America
  ["Ashburn, Virginia", 39.04, -77.49, "us-east-1 us-east4 eastus usgovvirginia usdodeast"],
  ["Boydton, Virginia", 36.67, -78.39, "eastus2"],
  ["Boardman, Oregon", 45.84, -119.7, "us-west-2 us-gov-west-1"],
  ["Calgary", 51.05, -114.07, "ca-west-1"],
  ["Cheyenne, Wyoming", 41.14, -104.82, "westcentralus"],
  ["Chicago", 41.88, -87.63, "northcentralus"],
  ["Columbus, Ohio", 39.96, -83.0, "us-east-2 us-gov-east-1 us-east5"],
  ["Council Bluffs, Iowa", 41.26, -95.86, "us-central1"],
  ["Dallas", 32.78, -96.8, "us-south1"],
  ["Des Moines, Iowa", 41.59, -93.62, "centralus usdodcentral"],
  ["Las Vegas", 36.17, -115.14, "us-west4"],
  ["Los Angeles", 34.05, -118.24, "us-west2"],
  ["Moncks Corner, South Carolina", 33.2, -80.01, "us-east1"],
  ["Montréal", 45.5, -73.57, "ca-central-1 northamerica-northeast1"],
  ["Phoenix", 33.45, -112.07, "westus3 usgovarizona"],
  ["Québec", 46.81, -71.21, "canadaeast"],
  ["Querétaro", 20.59, -100.39, "mx-central-1 northamerica-south1 mexicocentral"],
  ["Quincy, Washington", 47.23, -119.85, "westus2"],
  ["Salt Lake City", 40.76, -111.89, "us-west3"],
  ["San Antonio, Texas", 29.42, -98.49, "southcentralus usgovtexas"],
  ["San José, California", 37.34, -121.89, "us-west-1 westus"],
  ["The Dalles, Oregon", 45.6, -121.18, "us-west1"],
  ["Toronto", 43.65, -79.38, "northamerica-northeast2 canadacentral"],
  // South America
  ["Rio de Janeiro", -22.91, -43.17, "brazilsoutheast"],
  ["Santiago", -33.45, -70.67, "southamerica-west1 chilecentral"],
  ["São Paulo", -23.55, -46.63, "sa-east-1 southamerica-east1 brazilsouth"],
  // Europe
  ["Amsterdam", 52.37, 4.9, "westeurope"],
  ["Berlin", 52.52, 13.4, "europe-west10 germanynorth"],
  ["Brussels", 50.85, 4.35, "belgiumcentral"],
  ["Cardiff", 51.48, -3.18, "ukwest"],
  ["Dublin", 53.35, -6.26, "eu-west-1 northeurope"],
  ["Eemshaven", 53.43, 6.83, "europe-west4"],
  ["Frankfurt", 50.11, 8.68, "eu-central-1 europe-west3 germanywestcentral"],
  ["Gävle", 60.67, 17.14, "swedencentral"],
  ["Geneva", 46.2, 6.14, "switzerlandwest"],
  ["Hamina", 60.57, 27.2, "europe-north1"],
  ["London", 51.51, -0.13, "eu-west-2 europe-west2 uksouth"],
  ["Madrid", 40.42, -3.7, "europe-southwest1 spaincentral"],
  ["Marseille", 43.3, 5.37, "francesouth"],
  ["Milan", 45.46, 9.19, "eu-south-1 europe-west8 italynorth"],
  ["Oslo", 59.91, 10.75, "norwayeast"],
  ["Paris", 48.86, 2.35, "eu-west-3 europe-west9 francecentral"],
  ["Potsdam", 52.4, 13.06, "eusc-de-east-1"],
  ["Saint-Ghislain", 50.47, 3.87, "europe-west1"],
  ["Stavanger", 58.97, 5.73, "norwaywest"],
  ["Stockholm", 59.33, 18.07, "eu-north-1 europe-north2"],
  ["Turin", 45.07, 7.69, "europe-west12"],
  ["Vienna", 48.21, 16.37, "austriaeast"],
  ["Warsaw", 52.23, 21.01, "europe-central2 polandcentral"],
  ["Zaragoza", 41.65, -0.88, "eu-south-2"],
  ["Zürich", 47.38, 8.54, "eu-central-2 europe-west6 switzerlandnorth"],
  // Middle East and Africa
  ["Abu Dhabi", 24.47, 54.37, "uaecentral"],
  ["Cape Town", -33.92, 18.42, "af-south-1 southafricawest"],
  ["Dammam", 26.43, 50.1, "me-central2"],
  ["Doha", 25.29, 51.53, "me-central1 qatarcentral"],
  ["Dubai", 25.2, 55.27, "me-central-1 uaenorth"],
  ["Johannesburg", -26.2, 28.05, "africa-south1 southafricanorth"],
  ["Manama", 26.23, 50.59, "me-south-1"],
  ["Tel Aviv", 32.09, 34.78, "il-central-1 me-west1 israelcentral"],
  // Asia
  ["Bangkok", 13.76, 100.5, "ap-southeast-7 asia-southeast3"],
  ["Beijing", 39.9, 116.41, "cn-north-1 chinanorth chinanorth2"],
  ["Busan", 35.18, 129.08, "koreasouth"],
  ["Changhua", 24.08, 120.54, "asia-east1"],
  ["Chennai", 13.08, 80.27, "southindia"],
  ["Delhi", 28.61, 77.21, "asia-south2"],
  ["Hong Kong", 22.32, 114.17, "ap-east-1 asia-east2 eastasia"],
  ["Hyderabad", 17.39, 78.49, "ap-south-2"],
  ["Jakarta", -6.21, 106.85, "ap-southeast-3 asia-southeast2 indonesiacentral"],
  ["Jamnagar", 22.47, 70.06, "jioindiawest"],
  ["Kuala Lumpur", 3.14, 101.69, "ap-southeast-5 malaysiawest"],
  ["Mumbai", 19.08, 72.88, "ap-south-1 asia-south1 westindia"],
  ["Nagpur", 21.15, 79.09, "jioindiacentral"],
  ["Osaka", 34.69, 135.5, "ap-northeast-3 asia-northeast2 japanwest"],
  ["Pune", 18.52, 73.86, "centralindia"],
  ["Seoul", 37.57, 126.98, "ap-northeast-2 asia-northeast3 koreacentral"],
  ["Shanghai", 31.23, 121.47, "chinaeast chinaeast2 chinaeast3"],
  ["Singapore", 1.35, 103.82, "ap-southeast-1 asia-southeast1 southeastasia"],
  ["Taipei", 25.03, 121.57, "ap-east-2"],
  ["Tokyo", 35.68, 139.69, "ap-northeast-1 asia-northeast1 japaneast"],
  ["Zhangjiakou", 40.77, 114.89, "chinanorth3"],
  ["Zhongwei, Ningxia", 37.5, 105.2, "cn-northwest-1"],
  // Oceania
  ["Auckland", -36.85, 174.76, "ap-southeast-6 newzealandnorth"],
  ["Canberra", -35.28, 149.13, "australiacentral australiacentral2"],
  ["Melbourne", -37.81, 144.96, "ap-southeast-4 australia-southeast2 australiasoutheast"],
  ["Sydney", -33.87, 151.21, "ap-southeast-2 australia-southeast1 australiaeast"],
];

const byRegion: ReadonlyMap<string, Coordinates> = new Map(
  cities.flatMap(([, latitude, longitude, regions]) =>
    regions.split(" ").map((region) => [region, { latitude, longitude }] as const),
  ),
);
