import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CircleCheck, Copy } from 'lucide-react'
import type { JSX } from 'react'
import { ADVICE_LEVELS, type Advice } from '@holdfast/protocol'
import { Button, Chip, copyText, EmptyState, Page, Select } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

const advisorsRoute = getRouteApi('/advisors')

interface TimedAdvice {
  readonly advice: readonly Advice[]
  readonly atMs: number
}

const KEY = ['advice']

const LEVELS: Readonly<
  Record<
    Advice['level'],
    { readonly text: string; readonly plural: string; readonly colour: 'coral' | 'amber' | 'slate' }
  >
> = {
  error: { text: 'error', plural: 'Errors', colour: 'coral' },
  warning: { text: 'warning', plural: 'Warnings', colour: 'amber' },
  info: { text: 'note', plural: 'Notes', colour: 'slate' },
}

const CATEGORIES = [
  { value: 'all', label: 'All advice' },
  { value: 'security', label: 'Security' },
  { value: 'performance', label: 'Performance' },
  { value: 'sync', label: 'Sync' },
  { value: 'server', label: 'Server' },
]

/** What could be better in the database and its settings, with statements to copy. */
export function AdvisorsScreen(): JSX.Element {
  const { category = 'all' } = advisorsRoute.useSearch()
  const navigate = useNavigate({ from: '/advisors' })
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => request<TimedAdvice>('GET /advice', { signal }),
  })
  const again = useMutation({
    mutationFn: () => request<TimedAdvice>('GET /advice?fresh=true'),
    onSuccess: (found) => queryClient.setQueryData(KEY, found),
  })
  return (
    <Page
      title="Advisors"
      description="What is exposed, slow or does not sync. The same as holdfast doctor --advise."
      actions={
        <Button isPending={again.isPending} onPress={() => again.mutate()}>
          Check again
        </Button>
      }
    >
      <QueryState query={again.error === null ? query : { ...query, error: again.error }} rows={10}>
        {({ advice, atMs }) => {
          const shown = advice.filter((one) => category === 'all' || one.category === category)
          return (
            <div className="flex flex-col gap-6">
              <div className="flex flex-wrap items-center gap-3">
                <Select
                  label="Category"
                  isLabelHidden
                  options={CATEGORIES}
                  value={category}
                  onChange={(value) =>
                    void navigate({ search: { category: value === 'all' ? '' : value }, replace: true })
                  }
                  className="w-44"
                />
                <p className="text-small text-muted">
                  Checked <TimeAgo at={new Date(atMs).toISOString()} />
                </p>
              </div>
              {shown.length === 0 ? (
                <EmptyState icon={<CircleCheck size={32} aria-hidden />} title="Nothing to improve" />
              ) : (
                ADVICE_LEVELS.map((level) => <Level key={level} level={level} advice={shown} />)
              )}
            </div>
          )
        }}
      </QueryState>
    </Page>
  )
}

function Level({
  level,
  advice,
}: {
  readonly level: Advice['level']
  readonly advice: readonly Advice[]
}): JSX.Element | null {
  const ofLevel = advice.filter((one) => one.level === level)
  if (ofLevel.length === 0) return null
  const { plural } = LEVELS[level]
  return (
    <section aria-label={plural} className="flex flex-col gap-3">
      <h2 className="text-heading">
        {plural} <span className="font-normal text-muted">{ofLevel.length}</span>
      </h2>
      <ul className="flex flex-col gap-3">
        {ofLevel.map((one) => (
          <Item key={`${one.name} ${one.object}`} advice={one} />
        ))}
      </ul>
    </section>
  )
}

function Item({ advice: { name, level, object, text, action, sql } }: { readonly advice: Advice }): JSX.Element {
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-border bg-raised p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Chip colour={LEVELS[level].colour}>{LEVELS[level].text}</Chip>
        <h3 className="min-w-0 font-medium [overflow-wrap:anywhere]">{object}</h3>
        <code className="font-mono text-mono text-muted">{name}</code>
      </div>
      <p>{text}</p>
      <p className="text-muted">{action}</p>
      {sql === undefined ? null : (
        <div className="flex items-start gap-2">
          <TextBlock label={`Statements for ${object}`} isWrapped={false} className="min-w-0 flex-1">
            {sql}
          </TextBlock>
          <Button
            size="sm"
            icon={<Copy size={16} aria-hidden />}
            aria-label={`Copy the statements for ${object}`}
            onPress={() => void copyText(sql, 'Copied')}
          >
            Copy
          </Button>
        </div>
      )}
    </li>
  )
}
