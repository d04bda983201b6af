import type { ChannelDetails, ChannelList, ListedChannel, StoredMessage } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { Type } from 'typebox'
import { requestApi, type CallApi } from '../call-api.ts'
import { invalidRequest, realtimeOff } from '../errors.ts'
import {
  BROADCAST_CHARS_MAX,
  CHANNEL_MEMBERS_MAX,
  CHANNELS_MAX,
  MESSAGE_CHARS_SHOWN,
  MESSAGES_MAX,
  PAGE_ROWS,
  TOPIC_CHARS_MAX,
} from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { Identity } from '../routing/identity.ts'
import { route, type Route } from '../routing/route.ts'
import { runAsIdentity, type OpenTableSession } from '../tables/table-session.ts'
import { maskEmails } from '../users/mask.ts'
import { readEmails } from '../users/name-users.ts'

/** Channels as the realtime service knows them. */
export interface ChannelSources {
  readonly channels: {
    /** The matching channels with the most members. */
    list(filter: { readonly matches: (topic: string) => boolean; readonly limit: number }): ChannelList
    /** At most `membersMax` members and presence keys. A channel that no client is in exists like any other. */
    describe(topic: string, isPrivate: boolean, membersMax: number): ChannelDetails
  }
}

export interface RealtimeRoutesNeeds {
  /** Reads schema `auth`. */
  readonly pool: Pool
  readonly callApi: CallApi
  readonly openSession: OpenTableSession
  /** `undefined` while channels are off. */
  readonly realtime: ChannelSources | undefined
}

const Topic = Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX })

/** Channels, their stored messages as policies show them to an identity, and test broadcasts. */
export function realtimeRoutes(needs: RealtimeRoutesNeeds): readonly Route[] {
  return [...channelRoutes(needs), ...messageRoutes(needs)]
}

function channelRoutes({ pool, realtime }: RealtimeRoutesNeeds): readonly Route[] {
  return [
    route('GET /realtime/channels', {
      access: 'viewer',
      query: Type.Object({
        search: Type.Optional(Type.String({ maxLength: TOPIC_CHARS_MAX })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: CHANNELS_MAX })),
      }),
      run: async ({ query: { search = '', limit = PAGE_ROWS }, session }): Promise<ChannelList> => {
        const { channels } = requireServing(realtime)
        const nameOf = hasRole(session, 'developer') ? (topic: string) => topic : maskEmails
        const sought = search.toLowerCase()
        // Matched as shown: a search by address would reveal to viewers what masks hide, letter by letter.
        const found = channels.list({ matches: (topic) => nameOf(topic).toLowerCase().includes(sought), limit })
        const shown = (channel: ListedChannel): ListedChannel => ({ ...channel, topic: nameOf(channel.topic) })
        return { channels: found.channels.map(shown), count: found.count }
      },
    }),
    route('GET /realtime/channel', {
      access: 'developer',
      query: Type.Object({ topic: Topic, isPrivate: Type.Boolean() }),
      run: async ({ query: { topic, isPrivate } }): Promise<ChannelDetails> => {
        const found = requireServing(realtime).channels.describe(topic, isPrivate, CHANNEL_MEMBERS_MAX)
        const ids = found.users.map(({ userId }) => userId)
        const emails = await readEmails(pool, ids)
        const users = found.users.map((user) => {
          const email = emails.get(user.userId ?? '')
          return typeof email === 'string' ? { ...user, email } : user
        })
        return { ...found, users }
      },
    }),
  ]
}

function messageRoutes({ callApi, openSession, realtime }: RealtimeRoutesNeeds): readonly Route[] {
  return [
    route('POST /realtime/messages', {
      access: 'developer',
      action: 'read_messages',
      body: Type.Object({ topic: Topic, as: Identity }),
      run: async ({ body: { topic, as }, note }): Promise<{ readonly messages: readonly StoredMessage[] }> => {
        // They are in the database, so a server that stands by reads them too.
        if (!realtime) throw realtimeOff()
        note({ target: `topic ${topic} as ${as.kind === 'user' ? `user ${as.id}` : as.kind}` })
        return { messages: await readMessages(openSession, topic, as) }
      },
    }),
    route('POST /realtime/broadcast', {
      access: 'developer',
      action: 'send_broadcast',
      body: Type.Object({
        topic: Topic,
        isPrivate: Type.Boolean(),
        event: Topic,
        payload: Type.String({ maxLength: BROADCAST_CHARS_MAX }),
      }),
      run: async ({ body: { topic, isPrivate, event, payload }, note }) => {
        requireServing(realtime)
        note({ target: `topic ${topic}`, after: { isPrivate, event, payload } })
        const message = { topic, event, private: isPrivate, payload: parseObject(payload) }
        await requestApi(callApi, 'realtime', { method: 'POST', path: '/api/broadcast', body: { messages: [message] } })
      },
    }),
  ]
}

/** @throws {HoldfastError} `realtime_off` */
function requireServing(realtime: ChannelSources | undefined): ChannelSources {
  if (!realtime) throw realtimeOff()
  return realtime
}

/** Reads the newest messages of a private topic that policies show to the identity. */
async function readMessages(
  openSession: OpenTableSession,
  topic: string,
  as: Parameters<OpenTableSession>[0],
): Promise<readonly StoredMessage[]> {
  return await runAsIdentity(openSession, as, { isReadOnly: true }, async (tx) => {
    // Policies read the topic from this setting, as when a client joins.
    await tx.execute(sql`select set_config('realtime.topic', ${topic}, true)`)
    return await tx.query<StoredMessage>(sql`
      select id::text, to_char(inserted_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
             left(event, ${TOPIC_CHARS_MAX}) as event, left(payload::text, ${MESSAGE_CHARS_SHOWN}) as payload,
             coalesce(octet_length(payload::text), octet_length(binary_payload), 0)::float8 as bytes
        from realtime.messages
       where topic = ${topic} and extension = 'broadcast' and private is true
       order by inserted_at desc, id limit ${MESSAGES_MAX}`)
  })
}

/** @throws {HoldfastError} `invalid_request` for what is no JSON object */
function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below, as for other values.
  }
  throw invalidRequest('The payload is not a JSON object.')
}
