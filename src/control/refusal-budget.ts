// How much refusing one sender may cost: each refusal takes from a budget of its address, which fills
// again with time. Whoever has spent it is not listened to until then, so that a flood of bad
// requests costs little more than its connections. Pure: time is an argument.

import { maskAddress, parseAddress } from "../dns/address.ts";

/** Refusals that a sender may have at once, and how many more each second. */
const burst = 100;
const perSecond = 50;
/** Senders that are remembered; past that all are forgotten. */
const mostSenders = 10_000;
/** One sender has a whole network of IPv6 addresses. */
const networkBits = 64;

interface Account {
  left: number;
  atMs: number;
}

export class RefusalBudget {
  #accounts = new Map<string, Account>();

  /** Takes one refusal of a sender's. */
  charge(source: string, nowMs: number): void {
    const key = senderOf(source);
    let account = this.#accounts.get(key);
    if (!account) {
      if (this.#accounts.size >= mostSenders) this.#accounts = new Map();
      account = { left: burst, atMs: nowMs };
      this.#accounts.set(key, account);
    }
    account.left = Math.max(0, refilled(account, nowMs) - 1);
    account.atMs = nowMs;
  }

  /** Whether a sender is not to be listened to now. */
  isSpent(source: string, nowMs: number): boolean {
    if (this.#accounts.size === 0) return false;
    const account = this.#accounts.get(senderOf(source));
    return account !== undefined && refilled(account, nowMs) < 1;
  }
}

function refilled({ left, atMs }: Account, nowMs: number): number {
  return Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
}

function senderOf(source: string): string {
  if (!source.includes(":")) return source;
  const address = parseAddress(source);
  if (address?.length !== 16) return source;
  return maskAddress(address, source.startsWith("::ffff:") ? 128 : networkBits).join();
}
