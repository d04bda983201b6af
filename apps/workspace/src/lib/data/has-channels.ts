import { create } from 'zustand'

/** Whether the server has channels: by the settings of the last visit until it has answered in this one, since they may have been turned off. */
export const useHasChannels = create<{ readonly hasChannels: boolean }>(() => ({ hasChannels: false }))
