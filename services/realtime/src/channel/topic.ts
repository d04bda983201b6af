import { topicNameRequired, topicNameTooLong } from '../errors.ts'
import { TOPIC_NAME_BYTES_MAX } from '../limits.ts'

const PREFIX = 'realtime:'

/** The name of a channel in the topic of its messages; `undefined` for a topic of something else. */
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

/** Public and private channels of one name never mix. */
export function busChannel(name: string, isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}:${name}`
}
