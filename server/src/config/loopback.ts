import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'
/** Whether only programs of this machine reach a server that listens on `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Whether nothing says that others reach the server, also through a proxy on this machine. */
export function servesThisMachineOnly({
  host,
  externalUrl,
  trustProxy,
}: Pick<Config, 'host' | 'externalUrl' | 'trustProxy'>): boolean {
  return isLoopback(host) && externalUrl === undefined && trustProxy.length === 0
}

/** Sample accounts have a public password. */
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
