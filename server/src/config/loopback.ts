import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'
/** Returns whether a server that listens on `host` is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Returns whether the settings give no sign of remote clients, including through a proxy on this machine. */
export function servesThisMachineOnly({
  host,
  externalUrl,
  trustProxy,
}: Pick<Config, 'host' | 'externalUrl' | 'trustProxy'>): boolean {
  return isLoopback(host) && externalUrl === undefined && trustProxy.length === 0
}

/** Refuses sample accounts on a reachable server, because their password is public. */
export function requireLoopbackForSample(config: Config, isSample: boolean): void {
  if (!isSample || isLoopback(config.host)) return
  throw new HoldfastError(
    'sample_not_on_loopback',
    500,
    `The sample has accounts with a public password, and ${config.host} is open to others.`,
    {
      hint: 'Use --host 127.0.0.1, or a data folder without the sample.',
    },
  )
}
