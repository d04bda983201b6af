import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { LogPage } from '@holdfast/protocol'
import { queryOf, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

export interface LogFilter {
  readonly text?: string
  readonly user?: string
  readonly request?: string
  readonly service?: string
  readonly level?: string
  readonly status?: string
  /** Hours back from now. */
  readonly hours?: string
}

/** Interval in ms between looks for new entries. */
const LIVE_MS = 2_000

/** Entries that the first page grows to while it is live. */
const LIVE_ENTRIES_MAX = 500

const HOUR_MS = 3_600_000

type Pages = InfiniteData<LogPage, string | undefined>

async function fetchLogs(
  { hours, ...filter }: LogFilter,
  position: { readonly before?: string | undefined; readonly after?: string | undefined },
  signal: AbortSignal,
): Promise<LogPage> {
  const from = hours === undefined ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
  return await request<LogPage>(`GET /logs${queryOf({ ...filter, ...position, from })}`, { signal })
}

/** Entries of the log, newest first. While live, new ones are added at the top. */
export function useLogs(filter: LogFilter, isLive: boolean) {
  const queryKey = ['logs', filter]
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchLogs(filter, { before: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  const newer = useQuery({
    queryKey: ['logs-newer', filter],
    queryFn: async ({ signal }) => {
      const first = queryClient.getQueryData<Pages>(queryKey)?.pages[0]
      const page = await fetchLogs(filter, { after: first?.newest }, signal)
      // Without a position to go on from, or after more than a page, the list begins again.
      if (first?.newest === undefined ? page.entries.length > 0 : page.hasGap)
        await queryClient.invalidateQueries({ queryKey })
      else queryClient.setQueryData<Pages>(queryKey, (pages) => pages && prepend(pages, page))
      return page.newest ?? ''
    },
    enabled: isLive && list.isSuccess && !list.isPlaceholderData,
    refetchInterval: LIVE_MS,
    staleTime: 0,
    gcTime: 0,
  })
  return { list, liveError: isLive ? newer.error : null }
}

/** Adds newer entries to the first page. While it is the only one, its oldest leave. */
export function prepend(pages: Pages, { entries, newest, dropped }: LogPage): Pages {
  const [first, ...others] = pages.pages
  if (!first) return pages
  const all = [...entries, ...first.entries]
  const kept = others.length === 0 ? all.slice(0, LIVE_ENTRIES_MAX) : all
  const last = kept.at(-1)
  const page: LogPage = {
    ...first,
    entries: kept,
    dropped,
    ...(newest !== undefined && { newest }),
    ...(kept.length < all.length && last && { next: last.id }),
  }
  return { ...pages, pages: [page, ...others] }
}
