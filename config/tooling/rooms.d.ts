interface Room {
  readonly room: string;
  readonly mayImport: readonly string[];
}
export declare const rooms: readonly Room[];
export declare const sourceRooms: readonly Room[];
export declare const outsideRooms: readonly string[];
export declare const featureRooms: readonly Room[];
export declare const budgets: Readonly<Record<string, number>>;
