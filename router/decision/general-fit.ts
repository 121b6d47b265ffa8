/** Written by `pragaura bench general`. */
import type { GeneralFit } from './types.ts';

export const GENERAL: GeneralFit = {
  "models": {
    "embed": "pragaura-embedder@cfc79d271a73904558f0f6da471f1a0d5ca5d9f85968b5a8817deea9791b1bef",
    "rerank": "pragaura-cross-encoder@1791913a6e45427d93c0e08f00917b50ca92d6b4d42df7de436f55d93900e66b",
    "read": "pragaura-cross-encoder@1791913a6e45427d93c0e08f00917b50ca92d6b4d42df7de436f55d93900e66b",
    "nli": "pragaura-cross-encoder@1791913a6e45427d93c0e08f00917b50ca92d6b4d42df7de436f55d93900e66b"
  },
  "arithmetic": "exact",
  "sets": [
    "emanual",
    "conditionalqa",
    "policyqa",
    "new-wiki",
    "squad2-dev",
    "hotpot",
    "nq-qed",
    "trecqa",
    "contract-nli",
    "bash-doc",
    "gnu-standards",
    "install-guide",
    "python-library"
  ],
  "questions": 889,
  "answerable": 626,
  "span": {
    "intercept": 0.12064,
    "inputs": [
      {
        "feature": "U",
        "mean": 0.34522,
        "scale": 0.14318,
        "weight": -1.4606,
        "missing": -3.5056
      }
    ],
    "shifts": {}
  },
  "floor": 0.8,
  "passage": {
    "intercept": 0.27862,
    "inputs": [
      {
        "feature": "bestRelevance",
        "mean": 0.65283,
        "scale": 0.37186,
        "weight": 0.74023,
        "missing": -1.294
      },
      {
        "feature": "fused",
        "mean": 0.4553,
        "scale": 0.14961,
        "weight": 0.64852,
        "missing": -1.6295
      }
    ],
    "shifts": {}
  },
  "measured": [
    {
      "cautious": 0,
      "cost": 0,
      "answered": 0.86648,
      "wrong": 0.42466,
      "useful": 0.70036,
      "inVain": 0.65778
    },
    {
      "cautious": 0.05,
      "cost": 0.01,
      "answered": 0.86648,
      "wrong": 0.42466,
      "useful": 0.70036,
      "inVain": 0.65778
    },
    {
      "cautious": 0.1,
      "cost": 0.04,
      "answered": 0.86648,
      "wrong": 0.42466,
      "useful": 0.70036,
      "inVain": 0.65778
    },
    {
      "cautious": 0.15,
      "cost": 0.09,
      "answered": 0.86262,
      "wrong": 0.4225,
      "useful": 0.70036,
      "inVain": 0.64855
    },
    {
      "cautious": 0.2,
      "cost": 0.16,
      "answered": 0.82984,
      "wrong": 0.40535,
      "useful": 0.69616,
      "inVain": 0.57538
    },
    {
      "cautious": 0.25,
      "cost": 0.25,
      "answered": 0.79208,
      "wrong": 0.38474,
      "useful": 0.69042,
      "inVain": 0.4959
    },
    {
      "cautious": 0.3,
      "cost": 0.36,
      "answered": 0.7558,
      "wrong": 0.37597,
      "useful": 0.67392,
      "inVain": 0.44051
    },
    {
      "cautious": 0.35,
      "cost": 0.49,
      "answered": 0.70661,
      "wrong": 0.34789,
      "useful": 0.6585,
      "inVain": 0.35128
    },
    {
      "cautious": 0.4,
      "cost": 0.64,
      "answered": 0.63186,
      "wrong": 0.31639,
      "useful": 0.61906,
      "inVain": 0.24017
    },
    {
      "cautious": 0.45,
      "cost": 0.81,
      "answered": 0.58249,
      "wrong": 0.29394,
      "useful": 0.59524,
      "inVain": 0.18085
    },
    {
      "cautious": 0.5,
      "cost": 1,
      "answered": 0.55445,
      "wrong": 0.2957,
      "useful": 0.57573,
      "inVain": 0.16855
    },
    {
      "cautious": 0.55,
      "cost": 1.21,
      "answered": 0.52446,
      "wrong": 0.28797,
      "useful": 0.55304,
      "inVain": 0.14462
    },
    {
      "cautious": 0.6,
      "cost": 1.44,
      "answered": 0.49466,
      "wrong": 0.28946,
      "useful": 0.52331,
      "inVain": 0.13231
    },
    {
      "cautious": 0.65,
      "cost": 1.69,
      "answered": 0.46707,
      "wrong": 0.27382,
      "useful": 0.50367,
      "inVain": 0.12
    },
    {
      "cautious": 0.7,
      "cost": 1.96,
      "answered": 0.42738,
      "wrong": 0.24126,
      "useful": 0.4702,
      "inVain": 0.10769
    },
    {
      "cautious": 0.75,
      "cost": 2.25,
      "answered": 0.39158,
      "wrong": 0.19891,
      "useful": 0.4347,
      "inVain": 0.092308
    },
    {
      "cautious": 0.8,
      "cost": 2.56,
      "answered": 0.35536,
      "wrong": 0.19242,
      "useful": 0.39935,
      "inVain": 0.073846
    },
    {
      "cautious": 0.85,
      "cost": 2.89,
      "answered": 0.33329,
      "wrong": 0.21542,
      "useful": 0.37142,
      "inVain": 0.070769
    },
    {
      "cautious": 0.9,
      "cost": 3.24,
      "answered": 0.30312,
      "wrong": 0.20329,
      "useful": 0.34438,
      "inVain": 0.064615
    },
    {
      "cautious": 0.95,
      "cost": 3.61,
      "answered": 0.27247,
      "wrong": 0.20254,
      "useful": 0.31536,
      "inVain": 0.058462
    },
    {
      "cautious": 1,
      "cost": 4,
      "answered": 0.25006,
      "wrong": 0.21381,
      "useful": 0.28788,
      "inVain": 0.058462
    }
  ]
};
