import type { IncomingHttpHeaders } from 'node:http'
import { APP_METADATA_LENGTH_MAX, USER_AGENT_LENGTH_MAX, USER_AGENTS_MAX } from '../limits.ts'

/** What a device says of itself when it opens a stream. Not checked: for operators only. */
export interface DeviceDescription {
  /** `x-user-agent` of the PowerSync SDK, otherwise the browser's. */
  readonly userAgent: string
  /** `appMetadata` of `connect()`, as JSON; `undefined` if missing or too long. */
  readonly appMetadata: string | undefined
  readonly address: string
}

/** Most devices run one of a few releases, so they share one text. */
const userAgents = new Map<string, string>()

export function describeDevice(
  headers: IncomingHttpHeaders,
  appMetadata: Readonly<Record<string, string>> | undefined,
  address: string,
): DeviceDescription {
  const metadata = appMetadata && Object.keys(appMetadata).length > 0 ? JSON.stringify(appMetadata) : undefined
  return {
    userAgent: share(userAgentOf(headers)),
    appMetadata: metadata !== undefined && metadata.length <= APP_METADATA_LENGTH_MAX ? metadata : undefined,
    address,
  }
}

function userAgentOf({ 'x-user-agent': given, 'user-agent': browser }: IncomingHttpHeaders): string {
  const [text = browser ?? ''] = Array.isArray(given) ? given : [given]
  return text.slice(0, USER_AGENT_LENGTH_MAX)
}

function share(text: string): string {
  const known = userAgents.get(text)
  if (known !== undefined) return known
  if (userAgents.size >= USER_AGENTS_MAX) userAgents.clear()
  userAgents.set(text, text)
  return text
}
