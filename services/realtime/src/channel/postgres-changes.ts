import { POSTGRES_CHANGES_PER_CHANNEL_MAX } from '../limits.ts'

/** Changes of tables are not there yet. Who asks for them is told so on the channel, as realtime tells of a subscription that fails. */
export const POSTGRES_CHANGES_REFUSED =
  'Unable to subscribe to changes with given parameters. This server has no Postgres changes yet; broadcasts and presence of the channel work.'

type Wanted = Readonly<Record<string, unknown>>

/** The subscriptions in the order of the client, each with an id, as the client compares them with its own. */
export function answerPostgresChanges(wanted: readonly Wanted[]): readonly Wanted[] {
  return wanted.slice(0, POSTGRES_CHANGES_PER_CHANNEL_MAX).map((one, position) => ({ ...one, id: position + 1 }))
}
