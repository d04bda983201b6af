import { topicNameRequired, topicNameTooLong } from '../errors.ts'
import { TOPIC_NAME_BYTES_MAX } from '../limits.ts'

const PREFIX = 'realtime:'

/** Returns the channel name in a topic; `undefined` for other topics. */
export function nameOf(topic: string): string | undefined {
  return topic.startsWith(PREFIX) ? topic.slice(PREFIX.length) : undefined
}

export function topicOf(name: string): string {
  return PREFIX + name
}

/** @throws {HoldfastError} `TopicNameRequired`, `TopicNameTooLong` */
export function requireName(name: string): void {
  if (name === '') throw topicNameRequired()
  if (Buffer.byteLength(name) > TOPIC_NAME_BYTES_MAX) throw topicNameTooLong()
}

/** Keeps public and private channels of one name apart. */
export function busChannel(name: string, isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}:${name}`
}
