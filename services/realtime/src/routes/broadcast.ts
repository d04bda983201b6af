import type { FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, isRecord } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { requireCaller } from '@holdfast/http'
import type { Topics } from '../channel/topics.ts'
import { BATCH_MESSAGES_MAX, EVENT_NAME_BYTES_MAX, PAYLOAD_ALLOWANCE_BYTES, TOPIC_NAME_BYTES_MAX } from '../limits.ts'
import type { RealtimeOptions } from '../options.ts'
import { elementTexts, memberTexts } from '../wire/json-text.ts'
import type { UserBroadcast } from '../wire/frames.ts'

/** A request body, parsed and as text. */
export class JsonBody {
  readonly text: string
  readonly value: unknown

  constructor(text: string, value: unknown) {
    this.text = text
    this.value = value
  }
}

export interface BroadcastContext {
  readonly topics: Topics
  readonly options: RealtimeOptions
  /** Whether policies let the caller send to a private topic. */
  readonly canWrite: (caller: Caller, name: string) => Promise<boolean>
}

/** Validation errors per message, in order, in Supabase's format. */
class InvalidMessages extends Error {
  override readonly name = 'InvalidMessages'
  readonly errors: unknown

  constructor(errors: unknown) {
    super('the messages are invalid')
    this.errors = errors
  }
}

interface Message {
  readonly topic: string
  readonly isPrivate: boolean
  readonly broadcast: UserBroadcast
}

/** `POST /api/broadcast`: sends messages to several topics. Skips private topics that the caller may not send to. */
export async function sendMessages(
  context: BroadcastContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = requireCaller(request)
  let messages: readonly Message[]
  try {
    messages = parseMessages(request.body, payloadBytesMax(context.options))
  } catch (error) {
    if (error instanceof InvalidMessages) return await reply.code(422).send({ errors: { messages: error.errors } })
    throw error
  }
  const rights = new Map<string, boolean>()
  for (const { topic, isPrivate } of messages)
    if (isPrivate && !rights.has(topic)) rights.set(topic, await context.canWrite(caller, topic))
  for (const { topic, isPrivate, broadcast } of messages)
    if (!isPrivate || rights.get(topic))
      context.topics.publish(topic, isPrivate, { kind: 'broadcast', from: undefined, broadcast })
  return await reply.code(202).send()
}

/** `POST /api/broadcast/:topic/events/:event`: sends one JSON or binary message. */
export async function sendMessage(
  context: BroadcastContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = requireCaller(request)
  const { topic, event } = request.params as { readonly topic: string; readonly event: string }
  const { private: isPrivateText } = request.query as { readonly private?: unknown }
  const { body } = request
  const isBinary = Buffer.isBuffer(body)
  const payload = isBinary ? body : Buffer.from(body instanceof JsonBody ? body.text : '{}')
  const name = topic.trim()
  if (!isNameOf(name, TOPIC_NAME_BYTES_MAX) || !isNameOf(event, EVENT_NAME_BYTES_MAX))
    throw new HoldfastError('InvalidName', 422, 'The topic name must have 1 to 246 bytes, the event name 1 to 255')
  if (payload.length > payloadBytesMax(context.options))
    throw new HoldfastError(
      'PayloadTooLarge',
      422,
      `The payload has more than ${context.options.realtimePayloadSizeMax} kB`,
    )
  const isPrivate = isPrivateText === 'true'
  if (isPrivate && !(await context.canWrite(caller, name))) throw new HoldfastError('Unauthorized', 403, 'Unauthorized')
  context.topics.publish(name, isPrivate, {
    kind: 'broadcast',
    from: undefined,
    broadcast: { event, encoding: isBinary ? 'binary' : 'json', payload },
  })
  return await reply.code(202).send()
}

function payloadBytesMax({ realtimePayloadSizeMax: kilobytes }: RealtimeOptions): number {
  return kilobytes * 1_000 + PAYLOAD_ALLOWANCE_BYTES
}

function isNameOf(text: string, bytesMax: number): boolean {
  return text !== '' && Buffer.byteLength(text) <= bytesMax
}

/** @throws {InvalidMessages} */
function parseMessages(body: unknown, bytesMax: number): readonly Message[] {
  const { text, value } = body instanceof JsonBody ? body : new JsonBody('{}', {})
  const messages = isRecord(value) ? value['messages'] : undefined
  if (messages === undefined) throw new InvalidMessages(["can't be blank"])
  if (!Array.isArray(messages) || messages.length > BATCH_MESSAGES_MAX) throw new InvalidMessages(['is invalid'])
  const texts = elementTexts(memberTexts(text).get('messages') ?? '[]')
  const parsed = messages.map((message, index) => parseMessage(message, texts[index] ?? '', bytesMax))
  if (parsed.some((one) => 'errors' in one))
    throw new InvalidMessages(parsed.map((one) => ('errors' in one ? one.errors : {})))
  return parsed.flatMap((one) => ('errors' in one ? [] : [one]))
}

type Errors = Readonly<Record<string, readonly string[]>>

/** @param text - JSON of the message, whose payload is forwarded unchanged */
function parseMessage(message: unknown, text: string, bytesMax: number): Message | { readonly errors: Errors } {
  const { topic, event, payload, private: isPrivate = false } = isRecord(message) ? message : {}
  const errors: Record<string, readonly string[]> = {}
  requireText(errors, 'topic', topic, TOPIC_NAME_BYTES_MAX)
  requireText(errors, 'event', event, EVENT_NAME_BYTES_MAX)
  if (payload === undefined || payload === null) errors['payload'] = ["can't be blank"]
  else if (!isRecord(payload)) errors['payload'] = ['is invalid']
  if (typeof isPrivate !== 'boolean') errors['private'] = ['is invalid']
  const bytes = Buffer.from(isRecord(message) ? (memberTexts(text).get('payload') ?? '{}') : '{}')
  if (bytes.length > bytesMax) errors['payload'] = ['Payload size exceeds tenant limit']
  if (Object.keys(errors).length > 0) return { errors }
  return {
    topic: topic as string,
    isPrivate: isPrivate === true,
    broadcast: { event: event as string, encoding: 'json', payload: bytes },
  }
}

function requireText(errors: Record<string, readonly string[]>, name: string, value: unknown, bytesMax: number): void {
  if (value === undefined || value === null || value === '') errors[name] = ["can't be blank"]
  else if (typeof value !== 'string' || Buffer.byteLength(value) > bytesMax) errors[name] = ['is invalid']
}
