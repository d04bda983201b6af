import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDaemon } from './start-daemon.ts'

export interface HaproxyOptions {
  readonly program: string
  readonly port: number
  /** Ports of the servers on the loopback address. */
  readonly servers: readonly number[]
}

/**
 * Starts HAProxy in front of several servers: each request goes to the next one that answers `GET /health` with 200, without sticky sessions, and to another one
 * after a 503. Disposal kills it.
 */
export async function startHaproxy({ program, port, servers }: HaproxyOptions): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  maxconn 1000
defaults
  mode http
  timeout connect 2s
  timeout client 90s
  timeout server 90s
  timeout tunnel 1h
  timeout check 2s
  retries 3
  option redispatch 1
  retry-on conn-failure 503
frontend all
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /health
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((server, index) => `  server node${index} 127.0.0.1:${server}\n`).join('')}`,
  )
  const running = await startDaemon(program, ['-db', '-f', file], port)
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
