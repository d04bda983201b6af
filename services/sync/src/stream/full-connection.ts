import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/**
 * Looks whether a response has to wait for its connection. Node's own answer is not to be relied on: a response that writes several parts together counts them as
 * one, and where the system takes some of them at once and less than the socket's limit is left, it waits for a `drain` that never comes.
 *
 * @returns what emits `drain` when there is room again; `undefined` while there is room
 */
export function fullConnectionOf(response: ServerResponse): Writable | undefined {
  // A pipelined response has no socket until those before it have ended.
  const connection = response.socket ?? response
  return connection.writableNeedDrain ? connection : undefined
}
