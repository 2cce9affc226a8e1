"""Tiny models with random weights of a fixed seed, saved as the real ones are: same files, same
loading code.
"""

import json
from pathlib import Path

WORDS = [
    *(
        "aspirin",
        "lowers",
        "the",
        "risk",
        "of",
        "stroke",
        "in",
        "adults",
        "with",
        "diabetes",
        "and",
        "trial",
        "patients",
        "had",
    ),
    *(
        "fewer",
        "events",
        "than",
        "placebo",
        "yoga",
        "blood",
        "pressure",
        "reduced",
        "by",
        "mm",
        "hg",
        "no",
        "difference",
        "was",
    ),
    *("found", "a", "an", "is", "this", "summary", "document", "claim", "paragraph", "reference"),
]
LETTERS = list("abcdefghijklmnopqrstuvwxyz0123456789.,;:?!()[]'-/%")


def encoder(folder: Path, kind: str, *, layers: int = 3, positions: int = 64) -> Path:
    """A BERT, DistilBERT or RoBERTa encoder of ``layers`` layers with its slow tokenizer."""
    import torch
    from transformers import (
        BertConfig,
        BertModel,
        BertTokenizer,
        DistilBertConfig,
        DistilBertModel,
        DistilBertTokenizer,
        RobertaConfig,
        RobertaModel,
        RobertaTokenizer,
    )

    folder.mkdir(parents=True)
    torch.manual_seed(7)
    if kind == "roberta":
        from tokenizers import ByteLevelBPETokenizer

        trained = ByteLevelBPETokenizer()
        trained.train_from_iterator(
            [" ".join(WORDS)] * 3,
            vocab_size=400,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        )
        trained.save_model(str(folder))
        tokenizer = RobertaTokenizer(
            str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=positions
        )
        model = RobertaModel(
            RobertaConfig(
                vocab_size=len(tokenizer),
                hidden_size=32,
                num_hidden_layers=layers,
                num_attention_heads=4,
                intermediate_size=48,
                max_position_embeddings=positions + 2,
                type_vocab_size=1,
                pad_token_id=1,
            )
        )
    else:
        vocabulary = [
            "[PAD]",
            "[UNK]",
            "[CLS]",
            "[SEP]",
            "[MASK]",
            *WORDS,
            *LETTERS,
            *("##" + letter for letter in LETTERS),
        ]
        (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(vocabulary)) + "\n")
        if kind == "bert":
            tokenizer = BertTokenizer(str(folder / "vocab.txt"), model_max_length=positions)
            model = BertModel(
                BertConfig(
                    vocab_size=len(tokenizer),
                    hidden_size=32,
                    num_hidden_layers=layers,
                    num_attention_heads=4,
                    intermediate_size=48,
                    max_position_embeddings=positions,
                )
            )
        else:
            tokenizer = DistilBertTokenizer(str(folder / "vocab.txt"), model_max_length=positions)
            model = DistilBertModel(
                DistilBertConfig(
                    vocab_size=len(tokenizer),
                    dim=32,
                    n_layers=layers,
                    n_heads=4,
                    hidden_dim=48,
                    max_position_embeddings=positions,
                )
            )
    with torch.no_grad():
        for parameter in model.parameters():  # the usual small values would make all texts alike
            parameter.mul_(8 if parameter.dim() > 1 else 1)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "metric.json").write_text(json.dumps({"model": f"tiny-{kind}", "layer": 2}))
    return folder


def t5(folder: Path) -> Path:
    """A T5 that answers "Yes" and "No" as single tokens, with a fast word-level tokenizer."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    folder.mkdir(parents=True)
    torch.manual_seed(11)
    words = dict.fromkeys(
        [
            "<pad>",
            "</s>",
            "<unk>",
            "Yes",
            "No",
            *WORDS,
            "question",
            "Is",
            ":",
            "?",
            ".",
            "coherent",
            "fluent",
        ]
    )
    plain = Tokenizer(
        WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>")
    )
    plain.pre_tokenizer = Whitespace()
    plain.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=512,
    )
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(words),
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
            initializer_factor=1.0,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def comet(folder: Path, *, positions: int = 64) -> Path:
    """A COMET regression model on a tiny XLM-RoBERTa: hparams.yaml, checkpoints/model.ckpt and the
    encoder beside them.
    """
    import pytorch_lightning
    import torch
    import yaml
    from comet.models import RegressionMetric
    from tokenizers import SentencePieceUnigramTokenizer
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

    beside = folder / "encoder"
    beside.mkdir(parents=True)
    torch.manual_seed(13)
    trained = SentencePieceUnigramTokenizer()
    trained.train_from_iterator(
        WORDS * 3,
        vocab_size=200,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    trained.save(str(beside / "plain.json"))
    tokenizer = XLMRobertaTokenizerFast(
        tokenizer_file=str(beside / "plain.json"), model_max_length=positions
    )
    (beside / "plain.json").unlink()
    tokenizer.save_pretrained(beside)
    XLMRobertaModel(
        XLMRobertaConfig(
            vocab_size=len(tokenizer) + 1,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=24,
            max_position_embeddings=positions + 2,
            type_vocab_size=1,
            pad_token_id=tokenizer.pad_token_id,
        )
    ).save_pretrained(beside)
    model = RegressionMetric(
        encoder_model="XLM-RoBERTa",
        pretrained_model=str(beside),
        hidden_sizes=[12],
        layer="mix",
        layer_transformation="sparsemax",
        layer_norm=False,
        local_files_only=True,
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embeddings" not in name:
                parameter.mul_(4)
    settings = dict(model.hparams)
    # As in the published checkpoint: it names a repository, which is not on this machine.
    settings = {
        key: value
        for key, value in settings.items()
        if isinstance(value, str | int | float | bool | list | type(None))
    }
    settings |= {"pretrained_model": "nowhere/tiny-xlm-r", "class_identifier": "regression_metric"}
    settings.pop("load_pretrained_weights")
    settings.pop("local_files_only")
    (folder / "hparams.yaml").write_text(yaml.safe_dump(settings))
    (folder / "checkpoints").mkdir()
    torch.save(
        {
            "state_dict": model.state_dict(),
            "hyper_parameters": settings,
            "pytorch-lightning_version": pytorch_lightning.__version__,
            "epoch": 0,
            "global_step": 0,
        },
        folder / "checkpoints" / "model.ckpt",
    )
    return folder
