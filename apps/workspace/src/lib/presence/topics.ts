import { useBackend } from '../data/backend-context.tsx'
import { useHasChannels } from '../data/has-channels.ts'

/** Channel topics of places in the workspace, controlled by project policies; `undefined` on a server without channels. */
export interface PlaceTopics {
  table(table: string): string | undefined
  record(table: string, id: string): string | undefined
}

export function usePlaceTopics(): PlaceTopics {
  const { slug } = useBackend().config.project
  const hasChannels = useHasChannels((state) => state.hasChannels)
  const topic = (place: string): string | undefined => (hasChannels ? `ws:${slug}:t:${place}` : undefined)
  return { table: topic, record: (table, id) => topic(`${table}:r:${id}`) }
}
