import type { UseQueryResult } from '@tanstack/react-query'
import type { JSX, ReactNode } from 'react'
import { Button, Notice, Skeleton } from '@holdfast/workspace'
import { messageOf } from '../lib/api.ts'

/** Shows the data of a query, a skeleton until it is there, and its error with a way to try again. Old data stays visible beside an error. */
export function QueryState<Data>({
  query,
  rows = 5,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching' | 'refetch'>
  /** Height of the skeleton. */
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}): JSX.Element {
  const { data, error, isFetching, refetch } = query
  return (
    <>
      {error === null ? null : (
        <Notice
          tone="danger"
          role="alert"
          title={data === undefined ? 'This could not be loaded' : 'This is not up to date'}
          className="mb-4"
          actions={
            <Button size="sm" isPending={isFetching} onPress={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {messageOf(error)}
        </Notice>
      )}
      {data === undefined ? error === null ? <Skeleton rows={rows} /> : null : children(data)}
    </>
  )
}
