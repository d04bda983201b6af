import { SerialQueue } from '../../serial-queue.ts'
import { locksHere } from '../file-locks.ts'

const queues = new Map<string, SerialQueue>()

/** Runs `body` while no other tab of the browser runs one of the same name. */
export function exclusively<T>(name: string, body: () => Promise<T>): Promise<T> {
  const locks = typeof window === 'undefined' ? undefined : locksHere()
  if (locks) return locks.request(name, body)
  const queue = queues.get(name) ?? new SerialQueue()
  queues.set(name, queue)
  return queue.run(body)
}
