import type { Overview, RequestHistory } from '@holdfast/protocol'
import { Type } from 'typebox'
import { route, type Route } from '../routing/route.ts'

export interface OverviewSources {
  readOverview(): Promise<Overview>
  /** @param hours - 1 to 24 */
  readHistory(hours: number): RequestHistory
}

/** Health and activity of the whole server. */
export function overviewRoutes(sources: OverviewSources): readonly Route[] {
  return [
    route('GET /overview', { access: 'viewer', run: () => sources.readOverview() }),
    route('GET /requests', {
      access: 'viewer',
      query: Type.Object({ hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })) }),
      run: async ({ query }) => sources.readHistory(query.hours ?? 3),
    }),
  ]
}
