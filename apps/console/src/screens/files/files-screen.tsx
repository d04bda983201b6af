import { getRouteApi } from '@tanstack/react-router'
import { FolderOpen, Plus } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button, EmptyState, Page } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { useHasRole } from '../../lib/session.ts'
import { BucketForm } from './bucket-form.tsx'
import { BucketPane } from './bucket-pane.tsx'
import { BucketView } from './bucket-view.tsx'
import { useBuckets, useUsages } from './use-buckets.ts'

const filesRoute = getRouteApi('/files')

/** Buckets; the files of the chosen one beside the list. */
export function FilesScreen(): JSX.Element {
  const { bucket: chosen } = filesRoute.useSearch()
  const list = useBuckets()
  const usages = useUsages()
  const mayChange = useHasRole('developer')
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Files"
      actions={
        mayChange ? (
          <Button icon={<Plus size={16} aria-hidden />} onPress={() => setCreating(true)}>
            New bucket
          </Button>
        ) : undefined
      }
    >
      <QueryState query={list} rows={12}>
        {(data) => {
          const bucket = data.buckets.find(({ id }) => id === chosen)
          return (
            <div className="flex gap-6">
              <div className={`w-60 shrink-0 max-laptop:w-full ${chosen === undefined ? '' : 'max-laptop:hidden'}`}>
                <BucketPane list={data} usages={usages.data?.usages} />
              </div>
              <div className={`min-w-0 flex-1 ${chosen === undefined ? 'max-laptop:hidden' : ''}`}>
                {bucket ? (
                  <BucketView
                    key={bucket.id}
                    bucket={bucket}
                    usage={
                      usages.data?.usages === null ? null : (usages.data?.usages[bucket.id] ?? { files: 0, bytes: 0 })
                    }
                    server={data}
                  />
                ) : (
                  <EmptyState
                    icon={<FolderOpen size={32} aria-hidden />}
                    title={chosen === undefined ? 'Choose a bucket' : 'There is no such bucket'}
                  >
                    {chosen === undefined
                      ? 'Policies on storage.objects decide which files users see. Operators see all.'
                      : 'It may have been deleted.'}
                  </EmptyState>
                )}
              </div>
            </div>
          )
        }}
      </QueryState>
      {isCreating && list.data ? <BucketForm server={list.data} onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}
