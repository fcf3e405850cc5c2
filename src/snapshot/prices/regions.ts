// Finds the region of an address whose tokens cost more, and applies its factor to the prices of a list.

import type { PriceCard, PriceSet } from '../../usage/price-card.ts';
import { tokenPrices } from '../../usage/price-names.ts';
import type { ListedEntry, ListedPrice } from './listed-price.ts';

/** OpenAI's regions, and endpoints of Vertex AI that are not global. */
const regionalHosts: readonly (readonly [RegExp, string])[] = [
  [/^eu\.api\.openai\.com$/, 'eu'],
  [/^us\.api\.openai\.com$/, 'us'],
  [/^[a-z\d-]+-aiplatform\.googleapis\.com$/, 'regional'],
  [/^aiplatform\.[a-z]+\.rep\.googleapis\.com$/, 'regional'],
];

type Place = Readonly<{ regions: ListedEntry['regions']; address: string }>;

/** The prices for a provider with this address. */
export function regionalPrice(price: ListedPrice, { regions, address }: Place): ListedPrice {
  const { hostname } = new URL(address);
  const region = regionalHosts.find(([pattern]) => pattern.test(hostname))?.[1] ?? '';
  const percent = regions?.get(region);
  return percent === undefined ? price : scaled(price, percent);
}

type Scale = (micros: number) => number;

function scaled(price: ListedPrice, percent: number): ListedPrice {
  const scale: Scale = (micros) => Math.round((micros * percent) / 100);
  const { inputPricePerMtok: input, outputPricePerMtok: output, priceCard } = price;
  return {
    inputPricePerMtok: input === null ? null : scale(input),
    outputPricePerMtok: output === null ? null : scale(output),
    priceCard: priceCard === null ? null : scaledCard(priceCard, scale),
  };
}

/** Only tokens cost more. Tiers that are percentages follow the other prices. */
function scaledCard(card: PriceCard, scale: Scale): PriceCard {
  const { context_tiers: tiers, service_tiers: services } = card;
  return {
    ...scaledSet(card, scale),
    ...(tiers !== undefined && { context_tiers: tiers.map((tier) => scaledSet(tier, scale)) }),
    ...(services !== undefined && {
      service_tiers: Object.fromEntries(
        Object.entries(services).map(([name, tier]) => [name, scaledCard(tier, scale)]),
      ),
    }),
  };
}

const scaledSet = <Prices extends PriceSet>(set: Prices, scale: Scale): Prices =>
  Object.assign(
    {},
    set,
    Object.fromEntries(
      tokenPrices.flatMap(({ name }) => {
        const price = set[name];
        return price === undefined ? [] : [[name, scale(price)]];
      }),
    ),
  );
