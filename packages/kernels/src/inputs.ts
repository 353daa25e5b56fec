/** `uniform`: zero-mean values. `exact`: integers whose results are exact, for comparing with `==`. */
export type InputMode = 'uniform' | 'exact';
