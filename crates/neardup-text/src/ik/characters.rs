//! IK's character classes, and the measure words that it looks for after numbers.

/// Measure words, units and the like, written down for this project.
pub(super) const MEASURE_WORDS: &str = "
    个 位 名 人 口 员 户 家 只 头 匹 条 尾 羽 峰 窝 群 股 伙 帮 批 班 队 组 排 连 营 团 师 军 届 代 辈
    件 套 身 双 对 副 付 顶 件套 枚 颗 粒 滴 块 片 张 页 幅 卷 册 本 部 篇 章 节 段 句 行 首 封 份 期 版 集 季 回 幕 出 场
    支 枝 根 棵 株 朵 束 把 捆 串 簇 丛 叶 瓣 茎 穗 节 截 瓶 杯 碗 盘 碟 盆 壶 罐 桶 箱 盒 袋 包 筐 篮 缸 锅 勺 匙
    辆 台 架 艘 列 节 座 栋 幢 间 层 扇 堵 道 处 所 栏 户 套 盏 门 口 面 顶 床 桌 把 口 尊 樽 件 柄 杆 挺 枪 炮 发
    次 遍 趟 回 番 顿 阵 场 下 声 眼 步 圈 轮 局 盘 手 拳 脚 口 笔 项 宗 桩 起 例 种 类 样 款 号 等 级 阶 段 阶段 档 度
    年 月 日 天 周 旬 季度 时 点 分 刻 秒 小时 分钟 秒钟 点钟 刻钟 世纪 年代 年度 周年 周岁 岁 月份 年级 夜 晚 宿 更 世 届
    元 角 分 毛 块钱 美元 欧元 英镑 日元 港元 卢布 文 两 钱 斤 公斤 千克 克 毫克 吨 磅 盎司 担 石
    米 厘米 毫米 微米 纳米 分米 千米 公里 里 英里 海里 寸 尺 丈 英寸 英尺 码 光年
    亩 公顷 顷 平方米 平方公里 平方千米 平方厘米 平方英里 平米 立方米 立方厘米 立方分米 升 毫升 公升 加仑 斗
    度 摄氏度 伏 安 瓦 千瓦 兆瓦 千瓦时 赫兹 像素 字节 倍 成 折 环 维 股 票 分 球 胜 平 负 席 桌 间 站 路 线 楼 室 单元
";

/// Classes of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Letter,
    Han,
    OtherCjk,
    /// Outside the basic plane: rare Han characters, emoji.
    Supplementary,
    /// Punctuation, spaces, other scripts.
    Useless,
}

/// A character as IK looks at it: in half width and lower case.
#[inline]
pub(super) fn regularize(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        // IK leaves capitals that it narrowed as they are; here they match like others.
        '\u{FF01}'..='\u{FF5E}' => char::from((c as u32 - 0xFEE0) as u8).to_ascii_lowercase(),
        _ => c.to_ascii_lowercase(),
    }
}

/// The class of a regularized character, by Unicode block.
#[inline]
pub(super) fn class(c: char) -> Class {
    match c {
        '\u{4E00}'..='\u{9FFF}' => Class::Han,
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '\0'..='\u{10FF}' => Class::Useless,
        '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FAFF}' => Class::Han,
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' => Class::OtherCjk,
        '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF00}'..='\u{FFEF}' => Class::OtherCjk,
        '\u{10000}'.. => Class::Supplementary,
        _ => Class::Useless,
    }
}

/// Chinese digits and powers of ten, plain and financial.
#[inline]
pub(super) fn is_numeral(c: char) -> bool {
    matches!(
        c,
        '零' | '一'
            | '二'
            | '两'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '廿'
            | '卅'
            | '百'
            | '千'
            | '万'
            | '亿'
            | '壹'
            | '贰'
            | '叁'
            | '肆'
            | '伍'
            | '陆'
            | '柒'
            | '捌'
            | '玖'
            | '拾'
            | '佰'
            | '仟'
            | '萬'
            | '億'
            | '兆'
    )
}
