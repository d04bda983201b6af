import { useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { SqlHistoryEntry } from '@holdfast/protocol'
import { Button, Chip, Dialog, NoRows, Row, Rows, SearchField } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { messageOf, request } from '../../lib/api.ts'

/** The operator's last runs, to open one again. */
export function HistoryDialog({
  onOpen,
  onClose,
}: {
  readonly onOpen: (text: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const [search, setSearch] = useState('')
  const [error, setError] = useState<string>()
  const history = useQuery({
    queryKey: ['sql-history'],
    queryFn: ({ signal }) => request<{ runs: readonly SqlHistoryEntry[] }>('GET /sql/history', { signal }),
    staleTime: 0,
  })
  const open = async (id: string): Promise<void> => {
    try {
      const { text, isCut } = await request<{ text: string; isCut: boolean }>(`GET /sql/history/${id}`)
      onOpen(isCut ? `${text}\n-- The history has only the start of this text.\n` : text)
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  return (
    <Dialog title="History" isOpen size="lg" onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p className="text-muted">Your last 200 runs, from the audit log. Other operators do not see this list.</p>
        <SearchField label="Search the history" value={search} onChange={setSearch} />
        {error === undefined ? null : (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <QueryState query={history} rows={8}>
          {({ runs }) => {
            const found = runs.filter(({ start }) => start.toLowerCase().includes(search.trim().toLowerCase()))
            return found.length === 0 ? (
              <NoRows>{search.trim() === '' ? 'You have run nothing yet.' : 'No run matches.'}</NoRows>
            ) : (
              <Rows label="Runs">
                {found.map((run) => (
                  <Run key={run.id} run={run} onOpen={() => void open(run.id)} />
                ))}
              </Rows>
            )
          }}
        </QueryState>
      </div>
    </Dialog>
  )
}

function Run({ run, onOpen }: { readonly run: SqlHistoryEntry; readonly onOpen: () => void }): JSX.Element {
  const { at, start, target, explain, ms, error } = run
  return (
    <Row
      title={<code className="line-clamp-3 font-mono text-mono font-regular whitespace-pre-wrap">{start}</code>}
      mark={
        <>
          {explain === null ? null : <Chip colour="slate">{explain === 'plan' ? 'Explain' : 'Explain analyze'}</Chip>}
          {error === null ? null : <Chip colour="coral">Failed</Chip>}
        </>
      }
      actions={
        <Button size="sm" onPress={onOpen}>
          Open
        </Button>
      }
      below={error === null ? null : <p className="text-small [overflow-wrap:anywhere] text-danger">{error}</p>}
    >
      <TimeAgo at={at} /> {target} {ms === null ? '' : `· ${ms} ms`}
    </Row>
  )
}
