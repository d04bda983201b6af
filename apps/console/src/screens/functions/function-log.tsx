import { useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { FunctionLog as Log, FunctionLogLine } from '@holdfast/protocol'
import { NoRows, Section, Switch } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { appendLog } from './append-log.ts'

/** Interval in ms between reads of new lines. */
const FOLLOW_MS = 2_000

const TONES: Readonly<Record<FunctionLogLine['level'], string>> = {
  debug: 'text-muted',
  info: '',
  warn: 'text-warning',
  error: 'text-danger',
}

/** The last lines that a function printed, followed live. */
export function FunctionLog({ name }: { readonly name: string }): JSX.Element {
  const [isLive, setLive] = useState(true)
  const key = ['functions', name, 'log']
  const log = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const kept = queryClient.getQueryData<Log>(key)
      const path = `/functions/${encodeURIComponent(name)}/log${queryOf({ after: kept?.cursor })}`
      return appendLog(kept, await request<Log>(`GET ${path}`, { signal }))
    },
    refetchInterval: isLive ? FOLLOW_MS : false,
  })
  return (
    <Section
      title="Log"
      description="What it prints, and what happens to its processes. Kept in memory until the server stops, 1,000 lines at most."
      action={
        <Switch isSelected={isLive} onChange={setLive}>
          Live
        </Switch>
      }
    >
      <QueryState query={log} rows={4}>
        {({ lines }) => (lines.length === 0 ? <NoRows>Nothing printed yet</NoRows> : <Lines lines={lines} />)}
      </QueryState>
    </Section>
  )
}

/** Newest first, so that new lines appear where the reader looks. */
function Lines({ lines }: { readonly lines: readonly FunctionLogLine[] }): JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
    <ol
      tabIndex={0}
      aria-label="Lines, newest first"
      className="max-h-96 overflow-auto rounded-lg border border-border bg-raised py-1 font-mono text-mono"
    >
      {lines.toReversed().map((line, index) => (
        <li
          key={`${lines.length - index} ${line.at}`}
          className="flex gap-3 px-3 py-0.5 hover:bg-hover max-tablet:flex-col max-tablet:gap-0"
        >
          <time dateTime={line.at} className="shrink-0 text-muted" title={line.requestId ?? undefined}>
            {formatTime(line.at)}
          </time>
          <span className={`min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] ${TONES[line.level]}`}>
            {line.level === 'info' ? '' : `${line.level}: `}
            {line.text}
          </span>
        </li>
      ))}
    </ol>
  )
}
