import type { FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { isUpgrade, takeUpgrade } from '@holdfast/http'
import type { Tokens } from '../access/tokens.ts'
import { keyMissing } from '../errors.ts'
import type { Hub } from '../socket/hub.ts'
import { parseVersion } from '../wire/frames.ts'

/** `GET /websocket`: upgrades to a WebSocket or refuses with a reason. */
export async function openSocket(
  { hub, tokens }: { readonly hub: Hub; readonly tokens: Tokens },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!isUpgrade(request))
    throw new HoldfastError('UpgradeRequired', 426, 'This URL accepts only WebSocket connections', {
      headers: { connection: 'upgrade', upgrade: 'websocket' },
    })
  const query = request.query as Readonly<Record<string, unknown>>
  const version = parseVersion(textOf(query['vsn']))
  if (!version)
    throw new HoldfastError('UnsupportedVersion', 403, 'The supported protocol versions are 1.0.0 and 2.0.0')
  const key = textOf(query['apikey']) ?? textOf(request.headers['x-api-key']) ?? textOf(request.headers['apikey'])
  if (key === undefined) throw keyMissing()
  const identity = await tokens.identify(key)
  const accept = hub.enter({ version, identity, address: request.ip })
  const upgrade = takeUpgrade(request, reply)
  if (upgrade) accept(upgrade)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
