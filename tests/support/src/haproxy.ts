import { fileURLToPath } from 'node:url'
import { startDaemon } from './start-daemon.ts'

/** The configuration that operators copy. */
const CONFIGURATION = fileURLToPath(new URL('../../../deploy/several-machines/haproxy.cfg', import.meta.url))

export interface HaproxyOptions {
  readonly program: string
  readonly port: number
  /** Ports of three servers on the loopback address. */
  readonly servers: readonly number[]
}

/** Starts HAProxy in front of three servers, with the configuration of the guide for several machines. Disposal kills it. */
export function startHaproxy({ program, port, servers }: HaproxyOptions): Promise<AsyncDisposable> {
  const [one, two, three] = servers.map((server) => `127.0.0.1:${server}`)
  const env = { LISTEN: `127.0.0.1:${port}`, SERVER_1: one, SERVER_2: two, SERVER_3: three }
  return startDaemon(program, ['-db', '-f', CONFIGURATION], port, env)
}
