import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { JSX } from 'react'
import { Button } from '@holdfast/workspace'

/** Loads the next page of a list; absent after the last one. */
export function ShowMore({
  list,
}: {
  readonly list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}): JSX.Element | null {
  if (!list.hasNextPage) return null
  return (
    <Button
      size="sm"
      className="self-start"
      isPending={list.isFetchingNextPage}
      onPress={() => void list.fetchNextPage()}
    >
      Show more
    </Button>
  )
}
