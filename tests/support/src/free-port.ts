import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to outgoing connections and to servers that ask for any: a port found free is still free when a server starts to listen on it.
 * Above port 10080, which browsers refuse.
 */
const FIRST = 11_000
const LAST = 32_000

/** Finds a free port on the loopback address. Random, so that test processes side by side do not choose the same. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
