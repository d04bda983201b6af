import { HoldfastError } from '@holdfast/foundation'

// Codes and messages of Supabase's realtime service, which realtime-js reports as the reason of a refused join.

export const topicNameRequired = (): HoldfastError =>
  new HoldfastError('TopicNameRequired', 400, 'You must provide a topic name')

export const topicNameTooLong = (): HoldfastError =>
  new HoldfastError('TopicNameTooLong', 400, 'The topic name has more than 246 bytes')

export const unauthorizedTopic = (name: string, cause?: unknown): HoldfastError =>
  new HoldfastError('Unauthorized', 403, `You do not have permissions to read from this Channel topic: ${name}`, {
    cause,
  })

export const privateOnly = (): HoldfastError =>
  new HoldfastError('PrivateOnly', 403, 'This project only allows private channels')

export const keyMissing = (): HoldfastError => new HoldfastError('MissingAPIKey', 401, 'API key is missing')

/** @param ago - seconds since expiry; `undefined` when refusing a handshake */
export const tokenExpired = (ago?: number, cause?: unknown): HoldfastError =>
  new HoldfastError(
    'InvalidJWTToken',
    401,
    ago === undefined ? 'Token has expired' : `Token has expired ${ago} seconds ago`,
    { cause },
  )

export const fieldsRequired = (cause?: unknown): HoldfastError =>
  new HoldfastError('InvalidJWTToken', 401, 'Fields `role` and `exp` are required in JWT', { cause })

export const tokenRefused = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('InvalidJWTToken', 401, message, { cause })

export const malformedToken = (cause?: unknown): HoldfastError =>
  new HoldfastError('MalformedJWT', 401, 'The token provided is not a valid JWT', { cause })

export const wrongSignature = (cause?: unknown): HoldfastError =>
  new HoldfastError('JwtSignatureError', 401, 'Failed to validate JWT signature', { cause })

export const tooManyChannels = (): HoldfastError =>
  new HoldfastError('ChannelRateLimitReached', 429, 'Too many channels')

/** Not in Supabase, which has no limit per topic. */
export const presenceFull = (): HoldfastError =>
  new HoldfastError('PresenceFull', 413, 'The presence state of this Channel topic, or of the server, is full')

export const tooManyClients = (): HoldfastError =>
  new HoldfastError('ConnectionRateLimitReached', 429, 'Too many connected users')

export const tooManyJoins = (): HoldfastError =>
  new HoldfastError('ClientJoinRateLimitReached', 429, 'Too many joins per second')

export const databaseAway = (cause?: unknown): HoldfastError =>
  new HoldfastError('UnableToConnectToProject', 503, 'The database is not available. Try again in a moment.', { cause })

/** Not in Supabase. Retried as for a table that is not published. */
export const changesUnread = (): HoldfastError =>
  new HoldfastError(
    'RealtimeDisabledForConfiguration',
    400,
    'The server that reads the table changes does not answer; this is tried again',
  )

export const unknownError = (cause?: unknown): HoldfastError =>
  new HoldfastError('UnknownErrorOnChannel', 500, 'Something went wrong on the server', { cause })

export const replayInvalid = (): HoldfastError =>
  new HoldfastError('UnableToReplayMessages', 400, 'Replay params are not valid')

export const replayOfPublic = (): HoldfastError =>
  new HoldfastError('UnableToReplayMessages', 400, 'Replay is not allowed for public channels')

/** The reason of a refused join, as shown to clients. */
export function reasonOf(error: HoldfastError): string {
  return `${error.code}: ${error.message}`
}

/** Sent on the channel, not thrown: the read right was lost during the join. */
export function accessRevoked(name: string): string {
  return `You no longer have permission to read from this Channel topic: ${name}`
}
