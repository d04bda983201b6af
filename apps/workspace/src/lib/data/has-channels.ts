import { create } from 'zustand'

/** Whether the server has channels: from cached settings until it has responded, because they may have been disabled. */
export const useHasChannels = create<{ readonly hasChannels: boolean }>(() => ({ hasChannels: false }))
