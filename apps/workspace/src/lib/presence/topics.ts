import { useBackend } from '../data/backend-context.tsx'

/** Topics of the places in the workspace. Policies of the project decide who may use them. */
export interface PlaceTopics {
  table(table: string): string
  record(table: string, id: string): string
}

export function usePlaceTopics(): PlaceTopics {
  const { slug } = useBackend().config.project
  const table = (name: string): string => `ws:${slug}:t:${name}`
  return { table, record: (name, id) => `${table(name)}:r:${id}` }
}
