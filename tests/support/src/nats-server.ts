import { startDaemon } from './start-daemon.ts'

/** Starts a NATS server and waits until it listens. Disposal kills it. */
export function startNatsServer(program: string, port: number): Promise<AsyncDisposable> {
  return startDaemon(program, ['--addr', '127.0.0.1', '--port', String(port)], port)
}
